import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { default as addFormats } from 'ajv-formats'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readDocument } from '../../rest/document.ts'
import { strictOpenApi } from '../setup/checks/strict-openapi.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const REDOCLY_ENV = { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
const OPERATION_KEYS = ['get', 'post', 'put', 'patch', 'delete']

interface Example {
  readonly at: string
  readonly schema: object
  readonly value: unknown
}
interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: { default?: unknown }
}

let yaml: string
let document: Awaited<ReturnType<typeof readDocument>>
beforeAll(async () => {
  yaml = await readFile(`${ROOT}rest/openapi.yaml`, 'utf8')
  document = await readDocument('https://voice.example.com')
})

const pointer = (path: readonly string[]) =>
  path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Every object in the document, with the way to it. */
function* nodesOf(
  node: unknown,
  path: readonly string[] = [],
): Generator<[readonly string[], Record<string, unknown>]> {
  if (node === null || typeof node !== 'object') return
  if (!Array.isArray(node)) yield [path, node as Record<string, unknown>]
  // An example is data: what it holds is no part of the document.
  const parts = Object.entries(node).filter(([key]) => key !== 'example' && key !== 'value')
  for (const [key, part] of parts) yield* nodesOf(part, [...path, key])
}

/** The examples of a body, a parameter or a header, each with its schema. */
function examplesOf(root: unknown): Example[] {
  return [...nodesOf(root)].flatMap(([path, node]) => {
    if (typeof node.schema !== 'object' || path.includes('schemas')) return []
    const schema = node.schema as { examples?: unknown[] }
    const named = Object.entries((node.examples ?? {}) as Record<string, { value: unknown }>)
    const shown: [string, unknown][] = [
      ...named.map(([name, { value }]): [string, unknown] => [name, value]),
      ...('example' in node ? [['example', node.example] as [string, unknown]] : []),
      ...(schema.examples ?? []).map((value): [string, unknown] => ['schema', value]),
    ]
    return shown.map(([name, value]) => ({ at: `${pointer(path)} ${name}`, schema, value }))
  })
}

/** Those that do not fit, with the reason. */
function unfit(root: unknown): string[] {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
  ajv.addSchema({ ...(root as object), $id: 'openapi' })
  return examplesOf(root).flatMap(({ at, schema, value }) => {
    const resolved = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/'))
    return ajv.validate(resolved, value) ? [] : [`${at}: ${ajv.errorsText()}`]
  })
}

describe('the document, to outside checkers', () => {
  it.each(['rest/openapi.yaml', 'src/openai/openapi.yaml'])(
    '%s passes the recommended rules of redocly without an error or a warning',
    async (path) => {
      const args = ['lint', path, '--config', 'rest/redocly.yaml', '--format', 'json']
      const stdout = await new Promise<string>((resolve) => {
        execFile(`${ROOT}node_modules/.bin/redocly`, args, { cwd: ROOT, env: REDOCLY_ENV }, (_error, out) =>
          resolve(out),
        )
      })
      const { problems } = JSON.parse(stdout) as { problems: { ruleId: string; message: string }[] }
      expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
    },
  )

  it('holds no keyword that OpenAPI 3.1 and JSON Schema 2020-12 do not define', async () => {
    const deviations = await strictOpenApi()
    expect(deviations(parse(yaml))).toEqual([])
    expect(deviations(document)).toEqual([])
    const slipped = parse(yaml.replace('total: { type: integer,', 'total: { type: integer, exactly.,'))
    expect(deviations(slipped)).toContain('#/components/schemas/JobPage/properties/total/exactly.')
  })

  it('gives examples of bodies, parameters and headers that fit their schemas, formats included', () => {
    expect(examplesOf(document).length).toBeGreaterThan(30)
    expect(unfit(document)).toEqual([])
    const wrong = JSON.parse(JSON.stringify(document).replaceAll('&signature=', '&signature=…')) as object
    expect(unfit(wrong).join('\n')).toMatch(/outputs\/audio must match format "uri"/)
  })

  it('fills no header and no optional filter of the page that tries it out', () => {
    const parameters = [...nodesOf(document)].map(([, node]) => node as unknown as Parameter)
    const filled = parameters
      .filter((node) => node.in === 'header' || (node.in === 'query' && node.required !== true))
      .filter((node) => 'example' in node || 'examples' in node)
    expect(filled.map(({ name }) => name)).toEqual([])
  })

  it("carries the package's version, a licence, a contact and a server", async () => {
    const { version, license } = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8'))
    const openai = parse(await readFile(`${ROOT}src/openai/openapi.yaml`, 'utf8'))
    for (const { info, servers } of [document, parse(yaml), openai]) {
      expect(info).toMatchObject({ version, license: { identifier: license }, contact: { name: expect.any(String) } })
      expect(servers).toHaveLength(1)
    }
  })

  it('says of every operation its id, its tag, what it does, and how it rejects a request', () => {
    const tags = document.tags?.map(({ name }) => name)
    const all = Object.values(document.paths ?? {}).flatMap((path) =>
      OPERATION_KEYS.flatMap((method) => Object.entries(path ?? {}).filter(([key]) => key === method)),
    ) as [string, { operationId: string; tags: string[]; summary: string; description: string; responses: object }][]
    expect(all.length).toBeGreaterThan(10)
    expect(new Set(all.map(([, { operationId }]) => operationId)).size).toBe(all.length)
    for (const [, operation] of all) {
      expect(tags).toEqual(expect.arrayContaining(operation.tags))
      expect([operation.tags.length, operation.summary, operation.description]).toEqual([
        1,
        expect.stringMatching(/^[A-Z].*[^.]$/),
        expect.stringMatching(/^[A-Z].*\.\s*$/s),
      ])
      expect(Object.keys(operation.responses).filter((status) => status.startsWith('4'))).not.toEqual([])
    }
  })
})
