import { runInNewContext } from 'node:vm'
import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readExamples } from '../../../src/graphql/http/examples.ts'
import { call, type Reply } from '../../setup/http.ts'
import { ask } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

let service: TestRuntime
let page: Reply
let start: string
beforeAll(async () => {
  service = await startTestRuntime()
  page = await call(`${service.url}/graphql`, { headers: { accept: 'text/html,*/*' } })
  const [, link] = /src="(graphql\/files\/start[^"]+)"/.exec(page.text)!
  start = (await call(`${service.url}/${link}`)).text
})
afterAll(() => service?.close())

/** Starts GraphiQL at an address. Returns its start values and the list's examples. */
function startAt(hash: string) {
  const offered: string[] = []
  const createElement = () => ({
    style: {},
    set value(name: string) {
      if (name !== '') offered.push(name)
    },
    append: () => undefined,
  })
  let started: { query?: string; variables?: string } = {}
  const YogaGraphiQL = { renderYogaGraphiQL: (_root: unknown, options: typeof started) => (started = options) }
  const document = { createElement, body: createElement(), querySelector: () => null }
  runInNewContext(start, { document, location: { hash }, YogaGraphiQL })
  return { ...started, offered }
}

describe('GraphiQL', () => {
  test('comes whole from this service: the browser is instructed to load nothing from elsewhere', () => {
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = page.headers['content-security-policy']
    expect(policy).toMatch(/^default-src 'self' /)
    expect(policy).not.toMatch(/https?:|\*/)
  })

  test('lists every example, and starts with the one that was chosen', async () => {
    const examples = await readExamples()
    const { offered, query } = startAt('')
    expect(offered.toSorted()).toEqual(examples.map(({ name }) => name))
    expect(query).toBeUndefined()
    for (const example of examples) {
      const chosen = startAt(`#${example.name}`)
      expect(chosen.query).toBe(example.query)
      expect(JSON.parse(chosen.variables || '{}')).toEqual(example.variables)
    }
  })

  test('a client that is no browser gets no page', async () => {
    const reply = await call(`${service.url}/graphql?query={__typename}`, { headers: { accept: 'application/json' } })
    expect(reply.json()).toEqual({ data: { __typename: 'Query' } })
  })

  test('its introspection is within the limits of a caller with a key', async () => {
    const { key } = await service.createCaller()
    const options = { schemaDescription: true, specifiedByUrl: true, directiveIsRepeatable: true, oneOf: true }
    const query = getIntrospectionQuery({ ...options, inputValueDeprecation: true })
    const { data, errors } = await ask<{ __schema: { types: unknown[] } }>(service.url, key, query)
    expect(errors).toBeUndefined()
    expect(data?.__schema.types.length).toBeGreaterThan(50)
  })
})
