import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gql } from '@apollo/client'
import type { GraphQLObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openApollo, typePolicies } from '../examples/graphql-clients/apollo.ts'
import { forgetLists } from '../examples/graphql-clients/changed-lists.ts'
import { openSocket } from '../examples/graphql-clients/graphql-ws.ts'
import { openLiveList } from '../examples/graphql-clients/live-list.ts'
import { getDataID, openRelay } from '../examples/graphql-clients/relay.ts'
import { openUrql } from '../examples/graphql-clients/urql.ts'
import { buildGraphqlSchema } from '../src/graphql/schema.ts'
import { insertJob } from './setup/jobs/jobs.ts'
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
  interface Page {
    readonly viewer: {
      readonly jobs: {
        readonly pageInfo: { startCursor: string; endCursor: string; hasNextPage: boolean; hasPreviousPage: boolean }
        readonly edges?: readonly { readonly node: { id: string } }[]
        readonly nodes?: readonly { id: string }[]
      }
    }
  }
  const INFO = 'pageInfo { startCursor endCursor hasNextPage hasPreviousPage }'
  const listOf = ({ edges, nodes }: Page['viewer']['jobs']) =>
    (nodes ?? edges!.map(({ node }) => node)).map(({ id }) => id)

  test.each([
    ['edges', 'edges { node { id } }'],
    ['nodes', 'nodes { id }'],
    ['edges and nodes', 'edges { node { id } } nodes { id }'],
  ])('joins pages of a connection to one list, by its %s', async (_name, parts) => {
    const { key } = await createKey()
    await submitAll(key, 5)
    const client = openApollo(url, key, socketOf(key))
    const query = gql`query Jobs($after: String, $first: Int = 2) {
      viewer { scopes jobs(first: $first, after: $after) { ${INFO} ${parts} } }
    }`
    const list = client.watchQuery<Page>({ query })
    const watching = list.subscribe(() => undefined)
    onTestFinished(() => watching.unsubscribe())
    await expect.poll(() => list.getCurrentResult().loading).toBe(false)
    const shown = () => client.readQuery<Page>({ query })!.viewer.jobs
    const first = shown()
    await list.fetchMore({ variables: { after: first.pageInfo.endCursor } })
    expect(listOf(shown())).toHaveLength(4)
    const next = { variables: { after: shown().pageInfo.endCursor } }
    await list.fetchMore(next)
    await list.fetchMore(next)
    const { data } = await openApollo(url, key, socketOf(key)).query<Page>({ query, variables: { first: 5 } })
    expect(listOf(shown())).toEqual(listOf(data!.viewer.jobs))
    expect(shown().pageInfo).toEqual(data!.viewer.jobs.pageInfo)
    expect(shown().pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false })
  })

  test('asks for edges of a list of which it knows nodes alone', async () => {
    const { key } = await createKey()
    await submitAll(key, 1)
    const client = openApollo(url, key, socketOf(key))
    await client.query({ query: gql`{ viewer { scopes jobs { nodes { id } } } }` })
    const { data } = await client.query<Page>({ query: gql`{ viewer { scopes jobs { edges { node { id } } } } }` })
    expect(data!.viewer.jobs.edges).toHaveLength(1)
  })

  test.each(['Query', 'Viewer'])('keeps the connections of %s apart by their arguments', (name) => {
    const type = buildGraphqlSchema().getType(name) as GraphQLObjectType
    const connections = Object.values(type.getFields()).filter((field) => /Connection!?$/.test(String(field.type)))
    expect(Object.keys(typePolicies[name]!.fields!).toSorted()).toEqual(connections.map((one) => one.name).toSorted())
    const { keyArgs } = typePolicies[name]!.fields!.jobs as unknown as { keyArgs: (args: object) => unknown }
    expect(keyArgs({ first: 2, after: 'a', filter: {}, orderBy: {} })).toEqual(['filter', 'orderBy'])
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

describe('a live list', () => {
  interface Row {
    readonly id: string
  }
  const COMPLETED = '(filter: { statuses: [COMPLETED] })'

  test('holds jobs that ended long ago, and after a lost connection what changed meanwhile', async () => {
    const { account, key } = await createKey()
    const put = () => insertJob(service.runtime.db, account, { status: 'completed' })
    const [gone, kept] = [await put(), await put()]
    const front = await openFront(service.url)
    onTestFinished(() => front.cut())
    let shown: readonly string[] = []
    const socket = socketOf(key, () => list.again(), `${front.url}/graphql`)
    const list = openLiveList<Row>({
      follow: (onChanges) =>
        socket.subscribe<{ jobChanges: { jobs: Row[]; removedIds: string[] } }>(
          { query: `subscription { jobChanges${COMPLETED} { jobs { id status } removedIds } }` },
          {
            next: ({ data }) => onChanges({ rows: data!.jobChanges.jobs, removedIds: data!.jobChanges.removedIds }),
            error: () => undefined,
            complete: () => undefined,
          },
        ),
      ask: async () => {
        const { fetchQuery } = openRelay(url, key, socket)
        const answer = await fetchQuery({ name: 'Jobs', text: `query Jobs { jobs${COMPLETED} { nodes { id } } }` }, {})
        return (answer as { data: { jobs: { nodes: Row[] } } }).data.jobs.nodes
      },
      show: (rows) => {
        shown = rows.map(({ id }) => id).toSorted()
      },
      fail: (error) => expect(error).toBeUndefined(),
    })
    onTestFinished(() => list.close())
    await expect.poll(() => shown).toEqual([gone, kept].toSorted())
    await front.cut()
    await service.runtime.db.pool.query('delete from job where id = $1', [gone])
    const ended = await put()
    await front.restore()
    await expect.poll(() => shown).toEqual([kept, ended].toSorted())
  })

  test('takes messages for newer than the answer to a question from before them, and the last question for the right one', async () => {
    let tell: (changes: { rows: Row[]; removedIds: string[] }) => void = () => undefined
    const answers: ((rows: readonly Row[]) => void)[] = []
    let shown: readonly Row[] = []
    const list = openLiveList<Row>({
      follow: (onChanges) => {
        tell = onChanges
        return () => undefined
      },
      ask: () => new Promise((resolve) => answers.push(resolve)),
      show: (rows) => {
        shown = rows
      },
      fail: () => undefined,
    })
    tell({ rows: [{ id: 'new' }], removedIds: [] })
    expect(shown).toEqual([{ id: 'new' }])
    await expect.poll(() => answers.length).toBe(1)
    tell({ rows: [], removedIds: ['left'] })
    answers[0]!([{ id: 'left' }, { id: 'old' }])
    await expect.poll(() => shown).toEqual([{ id: 'old' }, { id: 'new' }])
    list.again()
    await expect.poll(() => answers.length).toBe(2)
    list.again()
    await expect.poll(() => answers.length).toBe(3)
    answers[2]!([{ id: 'last' }])
    await expect.poll(() => shown).toEqual([{ id: 'last' }])
    answers[1]!([{ id: 'late' }])
    tell({ rows: [], removedIds: [] })
    expect(shown).toEqual([{ id: 'last' }])
    list.close()
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
