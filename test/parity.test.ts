import { readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { operations } from '../rest/operations.ts'
import { buildGraphqlSchema } from '../src/graphql/schema.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Operations without a root field of their name, each with its reason. */
const REST_ONLY: Readonly<Record<string, string>> = {
  exportJobs: 'a stream of CSV has no place in a GraphQL answer',
}

interface Import {
  readonly file: string
  readonly target: string
}

const IMPORTS: readonly Import[] = importsOf('rest/operations.ts').map((target) => ({
  file: 'rest/operations.ts',
  target,
}))

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

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
