import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = join(ROOT, 'dist')
const SOURCES = ['src/**/*.ts', 'rest/**/*.ts', 'prisma/generated/**/*.ts']
/** Matches of `SOURCES` and `READ` that stay out of the package. */
const OF_THE_CHECKOUT = ['rest/generate-types.ts', 'src/console/**', '**/*.d.ts']
/** Files that the program reads at run time; they keep their paths. */
const READ = [
  'src/**/*',
  'rest/openapi.json',
  'prisma/migrations/**/*',
  'examples/graphql/*',
  'docs/*',
  'docs/images/*',
  'package.json',
]
/** Relative paths to `.ts` files: in imports, and in what is loaded by its URL. */
const RELATIVE = /(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g

/**
 * Builds `dist/` out of the sources: JavaScript file for file and line for line, as Node itself strips the types in a checkout, with the
 * files that it reads in the same places. A package needs it because Node strips none below node_modules.
 */
export function build(): void {
  rmSync(DIST, { recursive: true, force: true })
  for (const path of find(SOURCES)) {
    const code = stripTypeScriptTypes(readFileSync(join(ROOT, path), 'utf8'))
    write(path.replace(/\.ts$/, '.js'), code.replace(RELATIVE, '$1$2.js$1'))
  }
  for (const path of find(READ)) if (isRead(path)) cpSync(join(ROOT, path), join(DIST, path))
}

/** READMEs lie among the sources. */
const isRead = (path: string): boolean => !/\.(ts|md)$/.test(path) || /^docs\/.*\.md$/.test(path)

const find = (patterns: readonly string[]): string[] =>
  globSync(patterns, { cwd: ROOT, exclude: OF_THE_CHECKOUT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))

function write(path: string, content: string): void {
  mkdirSync(dirname(join(DIST, path)), { recursive: true })
  writeFileSync(join(DIST, path), content)
}
