import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { operations } from '../rest/operations.ts'
import { buildGraphqlSchema } from '../src/graphql/schema.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SOURCES = listFiles(['src', 'rest']).filter((file) => file.endsWith('.ts'))
/** Operations without a root field of their name, each with its reason. */
const REST_ONLY: Readonly<Record<string, string>> = {
  exportJobs: 'a stream of CSV has no place in a GraphQL answer',
}

interface Import {
  readonly file: string
  readonly target: string
}

const IMPORTS: readonly Import[] = SOURCES.flatMap((file) => importsOf(file).map((target) => ({ file, target })))

describe('the house', () => {
  test.each([
    ['@prisma/client', /^src\/(db|generated)\//],
    ['pg-boss', /^src\/(queue\/|runtime\.ts)/],
    ['openapi-backend', /^rest\/plugin\.ts$/],
    ['fastify', /^(src\/server\/|src\/graphql\/|src\/pages\/|rest\/plugin\.ts$)/],
    ['@pothos/', /^src\/graphql\//],
    ['graphql-yoga', /^src\/graphql\//],
    ['commander', /^src\/cli\//],
  ])('%s is imported only where it belongs', (library, home) => {
    const strangers = IMPORTS.filter(({ file, target }) => target.startsWith(library) && !home.test(file))
    expect(strangers).toEqual([])
  })

  test.each([
    [
      'engines and storage know neither database nor doors',
      /^src\/(engines|storage)\//,
      /^src\/(db|graphql|server|queue|jobs|accounts|cli|runtime\.ts|synthesis)/,
    ],
    [
      'verbs know neither the doors nor the command line',
      /^src\/(accounts|api-keys|companion|endpoints|generation|jobs|idempotency|users|webhooks)\/(?!.*-(graphql|worker)\.ts)/,
      /^(src\/(graphql|server|cli)\/|rest\/)/,
    ],
    [
      'the database knows no noun',
      /^src\/db\//,
      /^(src\/(accounts|api-keys|endpoints|jobs|users|graphql|server|cli|synthesis|queue|runtime\.ts)|rest\/)/,
    ],
    [
      'nothing but the command line and the runtime knows the command line',
      /^(?!src\/(cli\/|main\.ts))/,
      /^src\/cli\//,
    ],
  ])('%s', (_title, from, forbidden) => {
    const wrong = IMPORTS.filter(({ file, target }) => from.test(file) && forbidden.test(target))
    expect(wrong).toEqual([])
  })

  test('no file has more than 200 lines', () => {
    const long = SOURCES.filter(
      (file) => !isGenerated(file) && readFileSync(join(ROOT, file), 'utf8').split('\n').length > 201,
    )
    expect(long).toEqual([])
  })

  test('no file is a drawer for anything', () => {
    const drawers = SOURCES.filter(
      (file) => !isGenerated(file) && /^(index|utils?|helpers?|common|manager|misc|types)\.ts$/.test(basename(file)),
    )
    expect(drawers).toEqual([])
  })

  test('every environment variable is read in one place', () => {
    const readers = SOURCES.filter((file) => /process\.env\b/.test(readFileSync(join(ROOT, file), 'utf8')))
    // What is spawned needs a PATH to be found on.
    const others = readers.filter((file) => !file.startsWith('src/cli/') && file !== 'src/db/embedded-launcher.ts')
    expect(others).toEqual([])
  })

  test('all versions are pinned and at most 15 scripts are there', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const versions = Object.values({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.optionalDependencies,
    })
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version)))).toEqual([])
    expect(Object.keys(manifest.scripts).length).toBeLessThanOrEqual(15)
  })
})

describe('the two doors', () => {
  const schema = buildGraphqlSchema()
  const roots = { ...schema.getQueryType()?.getFields(), ...schema.getMutationType()?.getFields() }
  const document = parse(readFileSync(join(ROOT, 'rest/openapi.yaml'), 'utf8'))
  const ids = Object.values<Record<string, { operationId?: string }>>(document.paths).flatMap((path) =>
    Object.values(path).flatMap((operation) => (operation.operationId === undefined ? [] : [operation.operationId])),
  )

  test('every documented operation is implemented, and nothing else is', () => {
    expect(Object.keys(operations).sort()).toEqual(ids.toSorted())
  })

  test.each(ids.filter((id) => REST_ONLY[id] === undefined))(
    '%s is the same function behind REST and GraphQL',
    (id) => {
      const verb = roots[id]?.extensions.verb as { name: string } | undefined
      expect(verb?.name).toBe(id)
      // The operation calls that very import: its file is the verb's own, and so is GraphQL's.
      const file = IMPORTS.filter(
        ({ file, target }) => file === 'rest/operations.ts' && basename(target) === `${kebab(id)}.ts`,
      )
      expect(file).toHaveLength(1)
      expect((operations as Record<string, unknown>)[id]?.toString()).toMatch(new RegExp(`\\b${id}\\)?\\(call\\.ctx`))
    },
  )
})

function listFiles(folders: readonly string[]): string[] {
  const output = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...folders], {
    cwd: ROOT,
  })
  return output
    .toString()
    .split('\n')
    .filter((file) => file !== '')
}

function importsOf(file: string): string[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const targets = [
    ...source.matchAll(/^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm),
  ]
  return targets.map((match) => toRoot(file, match[1] ?? match[2] ?? match[3] ?? ''))
}

function toRoot(file: string, target: string): string {
  return target.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(file), target)) : target
}

function isGenerated(file: string): boolean {
  return file === 'rest/types.ts' || file.startsWith('src/generated/')
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
