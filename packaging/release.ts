import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { released } from './changelog.ts'
import { KEPT_RELEASES, keepRelease } from './keep-release.ts'
import { restoreManifest } from './manifest.ts'

// npm run release -- 0.2.0: version, changelog, tarball, its try on every Node.js (--untried leaves that out), commit, tag. Nothing leaves
// this machine: what to push is printed at the end. What fails leaves the checkout as it was.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FILES = ['package.json', 'package-lock.json', 'CHANGELOG.md']

const { positionals, values } = parseArgs({ allowPositionals: true, options: { untried: { type: 'boolean' } } })
const [version = ''] = positionals
const tarball = `sonant-tts-${version}.tgz`
const kept = join(ROOT, KEPT_RELEASES, tarball)

try {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('Name the version: npm run release -- 0.2.0')
  if (run('git', 'status', '--porcelain') !== '')
    throw new Error('There are uncommitted changes: commit or stash them.')
  if (run('git', 'tag', '--list', `v${version}`) !== '') throw new Error(`The version ${version} was released already.`)
  const changelog = released(
    readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'),
    version,
    new Date().toISOString().slice(0, 10),
  )
  try {
    release(changelog)
  } catch (error) {
    undo()
    throw error
  }
  process.stdout.write(
    `${tarball} is Sonant ${version}. To publish: git push --follow-tags && npm publish ${tarball}\n`,
  )
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}

function release(changelog: string): void {
  writeFileSync(join(ROOT, 'CHANGELOG.md'), changelog)
  run('npm', 'version', version, '--no-git-tag-version', '--ignore-scripts')
  run('npm', 'pack', '--silent')
  if (!values.untried) tryPackage()
  run('git', 'rm', '--quiet', `${KEPT_RELEASES}/*.tgz`)
  mkdirSync(join(ROOT, KEPT_RELEASES), { recursive: true })
  keepRelease(join(ROOT, tarball), kept)
  run('git', 'add', ...FILES, KEPT_RELEASES)
  run('git', 'commit', '--message', `Version ${version}`)
  try {
    run('git', 'tag', '--annotate', `v${version}`, '--message', `Sonant ${version}`)
  } catch (error) {
    run('git', 'reset', '--quiet', '--soft', 'HEAD~1')
    throw error
  }
}

function undo(): void {
  restoreManifest()
  for (const path of [kept, join(ROOT, tarball)]) rmSync(path, { force: true })
  run('git', 'reset', '--quiet', '--', ...FILES, KEPT_RELEASES)
  run('git', 'checkout', '--quiet', '--', ...FILES, KEPT_RELEASES)
}

/** It takes minutes: its lines are seen as they come. */
function tryPackage(): void {
  const script = join(ROOT, 'packaging/try-package.ts')
  const { status } = spawnSync(process.execPath, [script, join(ROOT, tarball)], { stdio: 'inherit' })
  if (status !== 0) throw new Error('The package was tried and does not run.')
}

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args[0]} failed: ${stderr || stdout}`)
  return stdout.trim()
}
