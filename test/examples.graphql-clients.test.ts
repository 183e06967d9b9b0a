import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gql } from '@apollo/client'
import type { GraphQLObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openApollo, typePolicies } from '../examples/graphql-clients/apollo.ts'
import { forgetLists } from '../examples/graphql-clients/changed-lists.ts'
import { openSocket } from '../examples/graphql-clients/graphql-ws.ts'
import { openLiveList } from '../examples/graphql-clients/live-list.ts'
import { getDataID, openRelay } from '../examples/graphql-clients/relay.ts'
import { openUrql } from '../examples/graphql-clients/urql.ts'
import { graphqlSchema } from '../src/graphql/schema.ts'
import { insertJob } from './setup/jobs/jobs.ts'
import { submitText } from './setup/jobs/voice-jobs.ts'
import { openFront } from './setup/servers/cuttable-front.ts'
import { startTestRuntime, type TestRuntime } from './setup/service/runtime.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

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

  test('shows a connection that the caller may not read as null', async () => {
    const { apiKey } = await service.createKey(await service.createAccount(), ['job:read'])
    const client = openApollo(url, apiKey, socketOf(apiKey))
    const query = gql`{ viewer { scopes users { nodes { id } } } }`
    const { data } = await client.query<{ viewer: { users: object | null } }>({ query })
    expect(data!.viewer.users).toBeNull()
  })

  test.each(['Query', 'Viewer'])('keeps the connections of %s apart by their arguments', (name) => {
    const type = graphqlSchema.getType(name) as GraphQLObjectType
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
  type Followed = Parameters<Parameters<typeof openLiveList<Row>>[0]['follow']>
  const COMPLETED = 'filter: { statuses: [COMPLETED] }'
  const WAITING = 'filter: { statuses: [QUEUED] }'

  const follow = (socket: ReturnType<typeof socketOf>, filter: string, [onChanges, beginning]: Followed) =>
    socket.subscribe<{ changes: { rows: Row[]; removedIds: string[] } }>(
      {
        query: `subscription ($endedWithinMs: Int) {
          changes: jobChanges(${filter}, everyMs: 100, endedWithinMs: $endedWithinMs) { rows: jobs { id status } removedIds }
        }`,
        variables: { ...beginning },
      },
      { next: ({ data }) => onChanges(data!.changes), error: () => undefined, complete: () => undefined },
    )

  const ask = async (key: string, filter: string): Promise<readonly Row[]> => {
    const text = `query Jobs { jobs(${filter}) { nodes { id } } }`
    const answer = await openRelay(url, key, socketOf(key)).fetchQuery({ name: 'Jobs', text }, {})
    return (answer as { data: { jobs: { nodes: Row[] } } }).data.jobs.nodes
  }

  test('holds jobs that ended long ago, and after a lost connection what changed meanwhile', async () => {
    const { account, key } = await createKey()
    const put = () => insertJob(service.runtime.db, account, { status: 'completed' })
    const [gone, kept] = [await put(), await put()]
    const front = await openFront(service.url)
    onTestFinished(() => front.cut())
    let shown: readonly string[] = []
    const socket = socketOf(key, () => list.again(), `${front.url}/graphql`)
    const list = openLiveList<Row>({
      follow: (...followed) => follow(socket, COMPLETED, followed),
      ask: () => ask(key, COMPLETED),
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

  test('loses no end that comes between the answer and a subscription that begins late', async () => {
    const { account, key } = await createKey()
    const waiting = await insertJob(service.runtime.db, account, { status: 'queued' })
    let shown: readonly string[] = []
    let subscribe = (): void => undefined
    let unsubscribe = (): void => undefined
    const socket = socketOf(key)
    const list = openLiveList<Row>({
      follow: (...followed) => {
        subscribe = () => {
          unsubscribe = follow(socket, WAITING, followed)
        }
        return () => unsubscribe()
      },
      ask: () => ask(key, WAITING),
      show: (rows) => {
        shown = rows.map(({ id }) => id)
      },
      fail: (error) => expect(error).toBeUndefined(),
    })
    onTestFinished(() => list.close())
    await expect.poll(() => shown).toEqual([waiting])
    await service.runtime.db.pool.query(`update job set status = 'completed', completed_at = now() where id = $1`, [
      waiting,
    ])
    subscribe()
    await expect.poll(() => shown).toEqual([])
  })

  /** A list whose subscription and answers are the test's. */
  function openByHand(most?: number) {
    let onChanges: Followed[0] = () => undefined
    const questions: PromiseWithResolvers<readonly Row[]>[] = []
    const shown: (readonly string[])[] = []
    const errors: unknown[] = []
    const list = openLiveList<Row>({
      follow: (given) => {
        onChanges = given
        return () => undefined
      },
      ask: () => {
        const question = Promise.withResolvers<readonly Row[]>()
        questions.push(question)
        return question.promise
      },
      show: (rows) => shown.push(rows.map(({ id }) => id)),
      fail: (error) => errors.push(error),
      ...(most !== undefined && { most }),
    })
    onTestFinished(() => list.close())
    const rowsOf = (ids: readonly string[]): Row[] => ids.map((id) => ({ id }))
    return {
      list,
      questions,
      shown,
      errors,
      rowsOf,
      tell: (ids: readonly string[], removedIds: readonly string[] = []) => {
        const changes = { rows: rowsOf(ids), removedIds }
        onChanges(changes)
        return new WeakRef(changes)
      },
      answer: async (nth: number, ids: readonly string[]) => {
        await expect.poll(() => questions.length).toBeGreaterThan(nth)
        questions[nth]!.resolve(rowsOf(ids))
      },
    }
  }

  test('takes messages for newer than the answer to a question from before them, and the last question for the right one', async () => {
    const { list, questions, shown, errors, tell, answer } = openByHand()
    tell(['3 new'])
    expect(shown).toEqual([['3 new']])
    await expect.poll(() => questions.length).toBe(1)
    tell([], ['2 left'])
    await answer(0, ['2 left', '1 old'])
    await expect.poll(() => shown.at(-1)).toEqual(['3 new', '1 old'])
    list.again()
    await expect.poll(() => questions.length).toBe(2)
    list.again()
    await answer(2, ['last'])
    await expect.poll(() => shown.at(-1)).toEqual(['last'])
    await answer(1, ['late'])
    tell([])
    expect(shown.at(-1)).toEqual(['last'])
    list.again()
    list.again()
    await expect.poll(() => questions.length).toBe(5)
    questions[3]!.reject(new Error('late'))
    await answer(4, ['last of all'])
    await expect.poll(() => shown.at(-1)).toEqual(['last of all'])
    expect(errors).toEqual([])
  })

  test('is not shown as empty before the answer', async () => {
    const { shown, tell, answer } = openByHand()
    tell([], ['gone'])
    expect(shown).toEqual([])
    await answer(0, [])
    await expect.poll(() => shown).toEqual([[]])
  })

  test('holds the newest rows, and none that left, however many changes come after it', async () => {
    const { shown, tell, answer } = openByHand(2)
    tell([])
    await answer(0, ['job 1', 'job 3'])
    await expect.poll(() => shown.at(-1)).toEqual(['job 3', 'job 1'])
    tell(['job 2'])
    expect(shown.at(-1)).toEqual(['job 3', 'job 2'])
    tell([], ['job 2', 'job 3'])
    for (let nth = 4; nth < 2000; nth++) tell([`job ${nth}`], [`job ${nth - 1}`])
    expect(shown.at(-1)).toEqual(['job 1999'])
  })

  test('goes on with what it hears if its question fails, until it is asked again, and keeps no message for an answer that never comes', async () => {
    const { list, questions, shown, errors, tell, answer } = openByHand()
    tell([])
    await expect.poll(() => questions.length).toBe(1)
    questions[0]!.reject('no answer')
    await expect.poll(() => errors).toEqual(['no answer'])
    const heard = tell(['2'])
    expect(shown.at(-1)).toEqual(['2'])
    // A message is held until the test lets other work run.
    await new Promise(setImmediate)
    collectGarbage()
    expect(heard.deref()).toBeUndefined()
    list.again()
    await answer(1, ['2', '1'])
    await expect.poll(() => shown.at(-1)).toEqual(['2', '1'])
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
