import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { released } from './changelog.ts'
import { KEPT_RELEASES, keepRelease } from './keep-release.ts'

// npm run release -- 0.2.0: version, changelog, commit, tarball, tag. Nothing leaves this machine: what to push is printed at the end.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FILES = ['package.json', 'package-lock.json', 'CHANGELOG.md']

const version = process.argv[2] ?? ''
if (!/^\d+\.\d+\.\d+$/.test(version)) fail('Name the version: npm run release -- 0.2.0')
if (run('git', 'status', '--porcelain') !== '') fail('There are changes that are not committed: commit or stash them.')
if (run('git', 'tag', '--list', `v${version}`) !== '') fail(`The version ${version} was released already.`)

const today = new Date().toISOString().slice(0, 10)
edit('CHANGELOG.md', (text) => released(text, version, today))
run('npm', 'version', version, '--no-git-tag-version', '--ignore-scripts')
const tarball = run('npm', 'pack', '--silent').split('\n').at(-1) ?? ''
run('git', 'rm', '--quiet', `${KEPT_RELEASES}/*.tgz`)
mkdirSync(join(ROOT, KEPT_RELEASES), { recursive: true })
keepRelease(join(ROOT, tarball), join(ROOT, KEPT_RELEASES, tarball))
run('git', 'add', ...FILES, KEPT_RELEASES)
run('git', 'commit', '--message', `Version ${version}`)
run('git', 'tag', '--annotate', `v${version}`, '--message', `Sonant ${version}`)
process.stdout.write(`${tarball} is Sonant ${version}. To publish: git push --follow-tags && npm publish ${tarball}\n`)

function edit(file: string, change: (text: string) => string): void {
  const path = join(ROOT, file)
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) fail(`${command} ${args[0]} failed: ${stderr || stdout}`)
  return stdout.trim()
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}
