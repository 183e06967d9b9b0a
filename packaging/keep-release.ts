import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { minifySync } from 'vite'

/** Where the tests find the last release's program, under the name of its package. */
export const KEPT_RELEASES = 'test/setup/released'
/** Parts that no other release depends on: the program serves them or a person reads them. */
const LEFT_OUT = [
  'dist/src/generated/console',
  'dist/docs',
  'docs',
  'examples',
  'README.md',
  'CHANGELOG.md',
  'schema.graphql',
  'rest',
]

/** Keeps of a package what the next release is to be upgraded from, small enough for the repository. */
export function keepRelease(tarball: string, archive: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'sonant-release-'))
  try {
    tar('xzf', tarball, '-C', folder)
    for (const path of LEFT_OUT) rmSync(join(folder, 'package', path), { recursive: true, force: true })
    for (const file of globSync(join(folder, 'package/dist/**/*.js'))) shorten(file)
    tar('czf', archive, '-C', folder, 'package')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Without comments and blanks; the names stay, for the stacks of errors. */
function shorten(file: string): void {
  const { code, errors } = minifySync(file, readFileSync(file, 'utf8'), { compress: false, mangle: false })
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`)
  writeFileSync(file, code)
}

function tar(...args: string[]): void {
  const { status, stderr } = spawnSync('tar', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`tar: ${stderr}`)
}
