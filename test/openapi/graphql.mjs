// GitHub's GraphQL, which its OpenAPI description leaves out: queries are held against the published schema, and
// answered with something of the right type.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

export function graphqlOf(packages) {
  const require = createRequire(import.meta.url)
  const { buildSchema, graphql, isObjectType, getNamedType } = require(join(packages, 'graphql'))
  // It has a field twice in one place, and is right about all that is asked here.
  const schema = buildSchema(readFileSync(join(packages, '@octokit', 'graphql-schema', 'schema.graphql'), 'utf8'), {
    assumeValidSDL: true,
  })
  const values = { Boolean: false, Int: 1, String: 'octocat', ID: 'PR_1' }
  const fieldResolver = (_, __, ___, { returnType }) => {
    const type = getNamedType(returnType)
    return isObjectType(type) ? {} : values[type.name]
  }
  return (source, variableValues) => graphql({ schema, source, variableValues, fieldResolver })
}
