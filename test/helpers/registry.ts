// An npm registry on loopback, with packages made for the tests only: no install test needs a network.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TestPackage {
  readonly name: string
  readonly version: string
  readonly scripts?: Readonly<Record<string, string>>
}

export class TestRegistry {
  readonly #server: Server
  /** What was asked for. */
  readonly asked: string[] = []

  private constructor(packages: readonly TestPackage[]) {
    const tarballs = new Map(packages.map((each) => [tarballName(each), tarballOf(each)]))
    this.#server = createServer((request, response) => {
      const path = decodeURIComponent(request.url ?? '/').slice(1)
      this.asked.push(path)
      const tarball = tarballs.get(path)
      const versions = packages.filter(({ name }) => name === path)
      if (tarball !== undefined) response.end(tarball)
      else if (versions.length > 0)
        response.setHeader('content-type', 'application/json').end(JSON.stringify(this.#document(versions, tarballs)))
      else response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}')
    })
  }

  static async start(packages: readonly TestPackage[]): Promise<TestRegistry> {
    const registry = new TestRegistry(packages)
    await new Promise<void>((resolve) => registry.#server.listen(0, '127.0.0.1', resolve))
    return registry
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #document(versions: readonly TestPackage[], tarballs: ReadonlyMap<string, Buffer>): unknown {
    const entries = versions.map((each) => {
      const tarball = tarballs.get(tarballName(each))!
      const dist = {
        tarball: `${this.url}${tarballName(each)}`,
        shasum: createHash('sha1').update(tarball).digest('hex'),
        integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
      }
      return [each.version, { ...each, ...(each.scripts === undefined ? {} : { hasInstallScript: true }), dist }]
    })
    return {
      name: versions[0]!.name,
      'dist-tags': { latest: versions.at(-1)!.version },
      versions: Object.fromEntries(entries),
    }
  }
}

const tarballName = ({ name, version }: TestPackage): string => `${name}/-/${name.split('/').at(-1)}-${version}.tgz`

function tarballOf(each: TestPackage): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'git-plan-package-'))
  try {
    mkdirSync(join(directory, 'package'))
    writeFileSync(join(directory, 'package/package.json'), JSON.stringify({ ...each, main: 'index.js' }))
    writeFileSync(join(directory, 'package/index.js'), `module.exports = ${JSON.stringify(each.version)}\n`)
    execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: directory })
    return readFileSync(join(directory, 'package.tgz'))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
