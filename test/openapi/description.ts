// A description as it is published: which operation a request is, and what the operation names. Prism lets pass what it
// does not know.

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
}

type Reference = { readonly $ref?: string }

interface OperationObject {
  readonly parameters?: readonly (Reference & { readonly in?: string; readonly name?: string })[]
  readonly requestBody?: Reference & { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }
}

type Schema = Reference & {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

export class Operations {
  readonly #description: Description
  readonly #patterns: readonly { readonly path: string; readonly pattern: RegExp; readonly literals: number }[]

  constructor(description: Description) {
    this.#description = description
    this.#patterns = Object.keys(description.paths)
      .map((path) => ({
        path,
        pattern: patternOf(path),
        literals: path.split('/').filter((part) => !part.includes('{')).length,
      }))
      // `/issues/comments/{id}` before `/issues/{number}/comments`.
      .toSorted((one, other) => other.literals - one.literals)
  }

  /** `GET /user`; undefined where there is none. */
  named(method: string, path: string): string | undefined {
    const found = this.#patterns.find(
      (each) => each.pattern.test(path) && this.#at(`${method} ${each.path}`) !== undefined,
    )
    return found === undefined ? undefined : `${method} ${found.path}`
  }

  /** Parameters and parts of the body that the operation does not name. */
  unknownIn(operation: string, query: URLSearchParams, body: unknown): string[] {
    const found = this.#at(operation)
    const parameters = (found?.parameters ?? []).map((each) => this.#resolved(each))
    const names = new Set(parameters.flatMap((each) => (each.in === 'query' ? [each.name] : [])))
    const content = found?.requestBody === undefined ? undefined : this.#resolved(found.requestBody).content
    const properties = this.#propertiesOf(content?.['application/json']?.schema ?? {})
    const sent = typeof body === 'object' && body !== null ? Object.keys(body) : []
    return [
      ...[...query.keys()]
        .filter((name) => !names.has(name))
        .map((name) => `a parameter that is not described: ${name}`),
      ...sent
        .filter((name) => !properties.has(name))
        .map((name) => `a part of the body that is not described: ${name}`),
    ]
  }

  #at(operation: string): OperationObject | undefined {
    const [method = '', path = ''] = operation.split(' ')
    const item = this.#description.paths[path] ?? {}
    return Object.hasOwn(item, method.toLowerCase()) ? item[method.toLowerCase()] : undefined
  }

  #propertiesOf(given: Schema): Set<string> {
    const schema = this.#resolved(given)
    const parts = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])]
    return new Set([...Object.keys(schema.properties ?? {}), ...parts.flatMap((part) => [...this.#propertiesOf(part)])])
  }

  #resolved<T extends Reference>(given: T): T {
    if (given.$ref === undefined) return given
    const steps = given.$ref.replace(/^#\//, '').split('/')
    const found = steps.reduce<unknown>(
      (at, step) => (at as Record<string, unknown> | undefined)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')],
      this.#description,
    )
    return this.#resolved(found as T)
  }
}

const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split(/\{[^}]+\}/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^/]+')}$`,
  )
