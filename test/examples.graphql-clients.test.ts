import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gql } from '@apollo/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openApollo } from '../examples/graphql-clients/apollo.ts'
import { forgetLists } from '../examples/graphql-clients/changed-lists.ts'
import { openSocket } from '../examples/graphql-clients/graphql-ws.ts'
import { getDataID, openRelay } from '../examples/graphql-clients/relay.ts'
import { openUrql } from '../examples/graphql-clients/urql.ts'
import { submitText } from './setup/jobs/voice-jobs.ts'
import { openFront } from './setup/servers/cuttable-front.ts'
import { startTestRuntime, type TestRuntime } from './setup/service/runtime.ts'

const SCOPES = ['generate:voice', 'job:read', 'account:admin']
const read = (path: string) => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8')

let service: TestRuntime
let url: string
beforeAll(async () => {
  service = await startTestRuntime()
  url = `${service.url}/graphql`
})
afterAll(() => service?.close())

async function createKey() {
  const account = await service.createAccount()
  const { apiKey, apiKeyId } = await service.createKey(account, SCOPES)
  return { account, key: apiKey, keyId: apiKeyId }
}

const socketOf = (key: string, onReconnect?: () => void, at = url) => {
  const socket = openSocket(at, key, onReconnect)
  onTestFinished(() => void socket.dispose())
  return socket
}

const submitAll = async (key: string, count: number) => {
  for (let nth = 0; nth < count; nth++) await submitText(service.url, key, 'tts', `Text ${nth}.`, 'aria')
}

const KEYS = gql`query Keys { viewer { apiKeys { edges { node { id name } } } } }`
const DELETE = gql`mutation Delete($id: ID!) {
  deleteApiKey(id: $id) { ... on DeleteApiKeySuccess { apiKeyId } ... on RequestError { message } }
}`
const RENAME = gql`mutation Rename($id: ID!) {
  updateApiKey(id: $id, name: "renamed") { ... on ApiKey { id name } ... on RequestError { message } }
}`
const UNFINISHED = 'subscription Unfinished { jobChanges(everyMs: 100) { jobs { id } removedIds } }'

interface Keys {
  readonly viewer: { readonly apiKeys: { readonly edges: readonly { readonly node: { id: string; name: string } }[] } }
}
const namesIn = (data: Keys | undefined) => data?.viewer.apiKeys.edges.map(({ node }) => node.name)

describe("urql's normalising cache", () => {
  test('shows what a mutation returns and forgets what it deletes, without a warning', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    onTestFinished(() => warn.mockRestore())
    const { account, key, keyId } = await createKey()
    const other = await service.createKey(account, [])
    const client = openUrql(url, key, socketOf(key))
    const seen: (string[] | undefined)[] = []
    const { unsubscribe } = client.query<Keys>(KEYS, {}).subscribe(({ data }) => seen.push(namesIn(data)))
    await expect.poll(() => seen.at(-1)).toEqual(['test', 'test'])
    await client.mutation(RENAME, { id: keyId })
    expect(seen.at(-1)).toEqual(['test', 'renamed'])
    await client.mutation(DELETE, { id: other.apiKeyId })
    await expect.poll(() => seen.at(-1)).toEqual(['renamed'])
    unsubscribe()
    // Without the schema, urql tries fragments of other members of a union as well.
    expect(warn.mock.calls.flat().filter((text) => !/Invalid undefined: The field at `message`/.test(text))).toEqual([])
  })

  test('follows jobs over the socket', async () => {
    const { key } = await createKey()
    const client = openUrql(url, key, socketOf(key))
    const jobs: string[] = []
    const { unsubscribe } = client.subscription(UNFINISHED, {}).subscribe(({ data }) => {
      jobs.push(...data.jobChanges.jobs.map(({ id }: { id: string }) => id))
    })
    await submitAll(key, 1)
    await expect.poll(() => jobs.length).toBe(1)
    unsubscribe()
  })
})

describe("Apollo's normalising cache", () => {
  test('joins pages of a connection to one list', async () => {
    const { key } = await createKey()
    await submitAll(key, 3)
    const client = openApollo(url, key, socketOf(key))
    const query = gql`query Jobs($after: String) {
      viewer { scopes jobs(first: 2, after: $after) { pageInfo { endCursor hasNextPage } edges { node { id } } } }
    }`
    interface Page {
      readonly viewer: {
        readonly jobs: { readonly pageInfo: { endCursor: string }; readonly edges: readonly object[] }
      }
    }
    const list = client.watchQuery<Page>({ query })
    const watching = list.subscribe(() => undefined)
    await expect.poll(() => list.getCurrentResult().loading).toBe(false)
    const first = client.readQuery<Page>({ query })
    await list.fetchMore({ variables: { after: first!.viewer.jobs.pageInfo.endCursor } })
    const all = client.readQuery<Page>({ query })
    watching.unsubscribe()
    expect(first!.viewer.jobs.edges).toHaveLength(2)
    expect(all!.viewer.jobs.edges).toHaveLength(3)
  })

  test('shows what a mutation returns and forgets what it deletes', async () => {
    const { account, key, keyId } = await createKey()
    const other = await service.createKey(account, [])
    const client = openApollo(url, key, socketOf(key))
    const list = client.watchQuery<Keys>({ query: KEYS })
    const watching = list.subscribe(() => undefined)
    const shown = () => namesIn(list.getCurrentResult().data as Keys | undefined)
    await expect.poll(shown).toEqual(['test', 'test'])
    await client.mutate({ mutation: RENAME, variables: { id: keyId } })
    expect(shown()).toEqual(['test', 'renamed'])
    const variables = { id: other.apiKeyId }
    await client.mutate({ mutation: DELETE, variables, update: (cache) => forgetLists(cache, 'deleteApiKey') })
    await expect.poll(shown).toEqual(['renamed'])
    watching.unsubscribe()
  })
})

test("Relay's network asks and follows, and its ids are those of the service", async () => {
  const { key, keyId } = await createKey()
  const { fetchQuery, subscribe } = openRelay(url, key, socketOf(key))
  const text = 'query Node($id: ID!) { node(id: $id) { __typename id } }'
  const { data } = (await fetchQuery({ name: 'Node', text }, { id: keyId })) as { data: { node: { id: string } } }
  expect(data.node).toEqual({ __typename: 'ApiKey', id: keyId })
  expect([getDataID(data.node), getDataID({})]).toEqual([keyId, null])
  await submitAll(key, 1)
  const events: unknown[] = []
  const sink = { next: (event: unknown) => events.push(event), error: () => undefined, complete: () => undefined }
  const { unsubscribe } = subscribe({ name: 'Unfinished', text: UNFINISHED }, {}).subscribe(sink)
  await expect.poll(() => events.length).toBe(1)
  unsubscribe()
})

describe('graphql-ws', () => {
  test('comes back after a lost connection with the state as it is then', async () => {
    const { key } = await createKey()
    await submitAll(key, 1)
    let reconnects = 0
    const front = await openFront(service.url)
    onTestFinished(() => front.cut())
    const socket = socketOf(key, () => reconnects++, `${front.url}/graphql`)
    const found: number[] = []
    const next = ({ data }: { data?: { jobChanges: { jobs: object[] } } | null }) =>
      void found.push(data!.jobChanges.jobs.length)
    const end = socket.subscribe<{ jobChanges: { jobs: object[] } }>(
      { query: UNFINISHED },
      { next, error: () => undefined, complete: () => undefined },
    )
    await expect.poll(() => found).toEqual([1])
    await front.cut()
    await submitAll(key, 1)
    await front.restore()
    await expect.poll(() => found.at(-1)).toBe(2)
    expect(reconnects).toBe(1)
    end()
  })

  test('does not come back with a wrong key', async () => {
    const events = socketOf('wrong').iterate({ query: UNFINISHED })
    await expect(events.next()).rejects.toMatchObject({ code: 4403 })
  })
})

test('every block of docs/graphql-clients.md is a part of a file that runs here', () => {
  const files = globSync(['examples/graphql-clients/*.ts', 'examples/dashboard/codegen.ts'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  }).map(read)
  const blocks = [...read('docs/graphql-clients.md').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => block)
  expect(blocks.filter((block) => !files.some((file) => file.includes(block)))).toEqual([])
  expect(blocks.length).toBeGreaterThan(4)
})
