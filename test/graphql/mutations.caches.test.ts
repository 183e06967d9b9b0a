import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { Client, fetchExchange } from '@urql/core'
import { cacheExchange } from '@urql/exchange-graphcache'
import {
  type FieldNode,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionSetNode,
  visit,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { typePolicies } from '../../examples/graphql-clients/apollo.ts'
import { CHANGED_LISTS, forgetLists, NEW_CALLER, updates } from '../../examples/graphql-clients/changed-lists.ts'
import { possibleTypes } from '../../examples/graphql-clients/schema-types.ts'
import { keys } from '../../examples/graphql-clients/urql.ts'
import { updateApiKey } from '../../src/api-keys/change-api-key.ts'
import { graphqlSchema } from '../../src/graphql/schema.ts'
import { createProject, saveProject } from '../../src/projects/change-project.ts'
import { newId } from '../../src/values/id.ts'
import { endpoint } from '../setup/jobs/fixtures.ts'
import { idAt, insertJob } from '../setup/jobs/jobs.ts'
import { applyWorkflow } from '../setup/jobs/workflows.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { PASSWORD, type Users, usersOf } from '../setup/service/users.ts'

const graphql = graphqlSchema
const mutations = Object.keys(graphql.getMutationType()!.getFields())

/** What an answer says, without signatures and the order of fields. */
const plain = (data: unknown): unknown =>
  JSON.parse(
    JSON.stringify(data ?? null, (name, value) => (name === '__typename' ? undefined : value)).replace(/\?[^"]*/g, ''),
  )

interface Cached {
  /** Answers from the cache if it can, else asks. */
  read(query: string, variables?: object): Promise<unknown>
  ask(query: string, variables?: object): Promise<unknown>
  change(name: string, mutation: string, variables?: object): Promise<Record<string, unknown>>
  /** How often the server was asked. */
  asked(): number
}

type Headers = Record<string, string>

type Ask = (body: string) => Promise<string>

const asker =
  (headers: Headers): Ask =>
  async (body) => {
    const type = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
    return (await fetch(`${service.url}/graphql`, { method: 'POST', headers: { ...type, ...headers }, body })).text()
  }

/** Caches side by side: the server is asked once for what they ask alike between two changes, and makes each change once. */
function askedOnce(ask: Ask): Ask {
  const changes = new Map<string, Promise<string>>()
  const reads = new Map<string, Promise<string>>()
  return (body) => {
    const { query, variables = {} } = JSON.parse(body)
    const plainQuery = visit(parse(query), { Field: ({ name }) => (name.value === '__typename' ? null : undefined) })
    const { operation } = plainQuery.definitions[0] as OperationDefinitionNode
    const known = operation === 'mutation' ? changes : reads
    const key = JSON.stringify([print(plainQuery), variables])
    if (operation === 'mutation' && !changes.has(key)) reads.clear()
    // Each cache asks for types at other places.
    const whole = visit(plainQuery, {
      SelectionSet: (set) => ({ ...set, selections: [TYPENAME, ...set.selections] }),
    })
    const answer = known.get(key) ?? ask(JSON.stringify({ query: print(whole), variables }))
    known.set(key, answer)
    return answer
  }
}
const TYPENAME: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }

function counting(ask: Ask) {
  let asked = 0
  const counted: typeof fetch = async (_input, init) => {
    asked += 1
    const headers = { 'content-type': 'application/graphql-response+json' }
    return new Response(await ask(String(init?.body)), { headers })
  }
  return { fetch: counted, asked: () => asked }
}

function openUrql(ask: Ask): Cached {
  const http = counting(ask)
  const cache = cacheExchange({ keys: keys!, possibleTypes, updates: updates! })
  const url = 'http://localhost/graphql'
  const client = new Client({ url, exchanges: [cache, fetchExchange], fetch: http.fetch, preferGetMethod: false })
  const query = async (document: string, variables: object, requestPolicy: 'cache-first' | 'network-only') => {
    const { data, error } = await client.query(document, variables as never, { requestPolicy }).toPromise()
    if (error) throw error
    return plain(data)
  }
  return {
    read: (document, variables = {}) => query(document, variables, 'cache-first'),
    ask: (document, variables = {}) => query(document, variables, 'network-only'),
    change: async (_name, document, variables = {}) => {
      const { data, error } = await client.mutation(document, variables as never).toPromise()
      if (error) throw error
      return data as Record<string, unknown>
    },
    asked: http.asked,
  }
}

function openApollo(ask: Ask): Cached {
  const http = counting(ask)
  const cache = new InMemoryCache({ possibleTypes, typePolicies })
  const client = new ApolloClient({ cache, link: new HttpLink({ fetch: http.fetch }) })
  const query = async (document: string, variables: object, fetchPolicy: 'cache-first' | 'network-only') =>
    plain((await client.query({ query: gql(document), variables, fetchPolicy })).data)
  return {
    read: (document, variables = {}) => query(document, variables, 'cache-first'),
    ask: (document, variables = {}) => query(document, variables, 'network-only'),
    change: async (name, document, variables = {}) =>
      (await client.mutate({ mutation: gql(document), variables, update: (at) => forgetLists(at, name) }))
        .data as Record<string, unknown>,
    asked: http.asked,
  }
}

let service: TestRuntime
let users: Users
beforeAll(async () => {
  service = await startTestRuntime()
  users = usersOf(service)
  await applyWorkflow(service.runtime, 'portrait')
})
afterAll(() => service?.close())

const run = (sql: string, values: unknown[] = []) => service.runtime.db.pool.query(sql, values)

const SCOPES = ['account:admin', 'job:read', 'generate:voice', 'generate:workflow', 'voice:library', 'operator']
const COMPANION = ['companion:chat', 'companion:retarget', 'companion:media_tag']

/** An account with one of everything, its key, and its owner's browser. */
async function world() {
  const owner = await users.user('owner')
  const other = await users.user('member', owner.account)
  const { account } = owner
  const key = await service.createKey(account, [...SCOPES, ...COMPANION])
  const spare = await service.createKey(account, ['job:read'])
  const put = (fields: object) =>
    // Long enough ago that they have ended.
    insertJob(service.runtime.db, account, {
      id: idAt(new Date(Date.now() - 60_000)),
      apiKeyId: key.apiKeyId,
      ...fields,
    })
  const [waiting, failed, done] = [await put({ status: 'queued' }), await put({ status: 'failed' }), await put({})]
  await put({ apiKeyId: spare.apiKeyId })
  await run(`update job set inputs = '{"text": "Hi.", "voice": "aria"}' where account_id = $1`, [account])
  const delivery = newId('msg')
  await run(
    `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, state, next_attempt_at, created_at, finished_at)
     values ($1, $2, 'test', $3, 'https://hooks.example.com/', 0, '', '', 'failed', now(), now(), now())`,
    [delivery, account, newId('job')],
  )
  const voice = newId('voice')
  await run(
    `insert into account_voice (id, account_id, name, storage_key, bytes, sha256, duration_ms, consent, ready_at, created_at)
     values ($1, $2, 'mine', $1 || '.wav', 8, decode(repeat('00', 32), 'hex'), 1000, 'yes', now(), now())`,
    [voice, account],
  )
  await run('update account set webhook_url = $2 where id = $1', [account, 'https://hooks.example.com/'])
  // By a key, so that a save of the command line's leaves a version.
  const author = { kind: 'key', accountId: account, apiKeyId: spare.apiKeyId, scopes: SCOPES, credits: 1n } as const
  const chapters = [{ key: 'c1', title: 'One', paragraphs: [{ key: 'p1', text: 'Hi.' }] }]
  const { id: project } = await createProject(service.runtime.as(author), {
    ...{ name: 'Book', chapters, settings: { endpoint: 'tts', voice: 'aria' } },
  })
  return { owner, other, account, key, spare, waiting, failed, done, delivery, voice, project }
}

type World = Awaited<ReturnType<typeof world>>

interface Case {
  readonly name: string
  /** As whom; by the key unless given. */
  readonly by?: 'owner'
  readonly mutation: string
  /** Everything that the change shows in. */
  readonly reads: readonly string[]
  readonly before?: (at: World, cached: Cached) => Promise<object | undefined>
}

const JOB = 'id status errorCode completedAt'
const LIST = `{ jobs(first: 20) { totalCount edges { node { ${JOB} } } } }`
const KEYS = '{ apiKeys { edges { node { id name scopes } } } }'
const USERS = '{ users { edges { node { id email role disabledAt } } } }'
const WEBHOOK =
  '{ webhook { id url secrets { id expiresAt } } account { id webhook { id url secrets { id expiresAt } } } }'
const DELIVERIES = '{ webhookDeliveries { edges { node { id state finishedAt } } } }'
const VOICES = '{ accountVoices { id name } }'
const FROM = new Date(Date.now() - 86_400_000).toISOString()
const SERIES = `jobSeries(from: "${FROM}", step: DAY) { points { at accepted failed } }`
const DAYS = `creditDays(from: "${FROM}") { at spent granted }`
const USAGE = `usageDays(from: "${FROM}", groupBy: API_KEY) { at group credits jobs }`
/** All that shows rows of a table, each root field in a query of its own: `viewer`, which is asked for as a whole, last. */
const SHOWN = {
  jobs: [
    '{ jobs(first: 20) { totalCount nodes { id apiKeyName } } }',
    '{ allJobs(first: 20) { totalCount nodes { id } } }',
    '{ jobPage { total } }',
    '{ jobStats(groupBy: [STATUS]) { status jobs } }',
    `{ ${SERIES} }`,
    '{ failureCauses { errorCode jobs } }',
    '{ pools { name waiting } }',
    `{ viewer { scopes jobs(first: 20) { totalCount nodes { id } } jobStats { jobs } ${SERIES} } }`,
  ],
  ledger: [
    '{ account { id credits creditEntries { id } } }',
    '{ creditEntries { nodes { id amount } } }',
    `{ ${DAYS} }`,
    `{ ${USAGE} }`,
    '{ spending { spent balanceDays } }',
    `{ viewer { scopes account { id credits } creditEntries { nodes { id } } ${DAYS} } }`,
  ],
  deliveries: [
    '{ account { id deliveries { id state } } }',
    '{ webhook { id deliveries { id state } } }',
    '{ webhookDeliveries { nodes { id state } } }',
    '{ webhookDeliveries(filter: { states: [FAILED] }) { nodes { id } } }',
    '{ webhookStats { pending failed } }',
    '{ viewer { scopes deliveries { nodes { id } } webhookStats { pending failed } } }',
  ],
  audit: ['{ auditEntries { nodes { id action } } }', '{ viewer { scopes auditEntries { nodes { id } } } }'],
  keys: [
    '{ account { id apiKeyCount apiKeys { id } } }',
    '{ apiKeys { totalCount nodes { id name } } }',
    '{ viewer { scopes apiKeys { nodes { id } } } }',
  ],
  users: [
    '{ account { id userCount users { id } } }',
    '{ users { totalCount nodes { id role } } }',
    '{ viewer { scopes users { nodes { id } } } }',
  ],
  voices: [
    '{ account { id voiceCount voices { id name } } }',
    '{ accountVoices { id name } }',
    '{ viewer { scopes voices { id } } }',
  ],
  endpoints: [
    '{ endpoints { nodes { id name } } }',
    '{ workflows { nodes { id name } } }',
    '{ catalog { endpoints { id name } } }',
    '{ myEndpoints { id name } }',
    '{ pools { name workers } }',
    '{ viewer { scopes endpoints { id name } } }',
  ],
  readings: [
    '{ reading(text: "12 SQL", slug: "stage") { spoken language } }',
    '{ textLanguage(text: "12", slug: "stage", voice: "calm") }',
  ],
  /** What is known of an endpoint before there is one. */
  madeEndpoint: [
    '{ node(id: "voice.made") { id } }',
    '{ nodes(ids: ["voice.made"]) { id } }',
    '{ jobs(first: 20) { nodes { id endpoint { ... on VoiceEndpoint { id name } } } } }',
  ],
  caller: [
    '{ grantableScopes { name } }',
    '{ myEndpoints { id } }',
    '{ viewer { scopes isOperator grantableScopes { name } } }',
    '{ viewer { scopes endpoints { id } } }',
  ],
  projects: ['{ projects(first: 3) { totalCount nodes { id name revision } } }'],
  lexicon: [
    '{ account { id lexicon { id entries { grapheme alias } } } }',
    '{ lexicon { id entries { grapheme alias } } }',
    '{ viewer { scopes lexicon { id entries { grapheme alias } } } }',
  ],
}
const shown = (...tables: (keyof typeof SHOWN)[]) => tables.flatMap((table) => SHOWN[table])
const SESSIONS = '{ users { nodes { id sessions { id current } } } }'
const ME = '{ me { id firstStepsDismissedAt user { id email hasPassword } sessions { id current } } }'
const PROJECT = `query ($project: ID!) { project(id: $project) {
  id name revision updatedAt characters chapters { key title paragraphs { key text } } versions { revision name } } }`
const TAKES = `query ($project: ID!) { project(id: $project) {
  id chapters(keys: ["c1"]) { key spokenCount paragraphs { key takes { jobId isChosen isCurrent job { ${JOB} } } } } } }`
const ENDPOINTS = '{ endpoints { edges { node { id name } } } workflows { edges { node { id name } } } }'
const REFUSED = '... on RequestError { code message }'
const does = (field: string, result: string, variables = '') =>
  `mutation ${variables} { ${field} { __typename ${result} ${REFUSED} } }`
const of = (type: string, fields: string) => `... on ${type} { ${fields} }`
const user = (field: string) => does(`${field}`, of('User', 'id email role disabledAt'), '($user: ID!)')
const CALM = { slug: 'calm', name: 'Calm', description: 'A voice.', kind: 'preset' }
/** Applies endpoints of these slugs, whose voice speaks a language. */
const apply = (slugs: readonly string[], name: string, engineVoice: string, answer = '') => {
  const voices = [{ ...CALM, engine_voice: engineVoice }]
  const source = JSON.stringify({ endpoints: slugs.map((slug) => endpoint(slug, { name, voices })) })
  return does(`applyEndpoints(source: ${JSON.stringify(source)})`, answer)
}

const CANCELLED = `query ($waiting: ID!) { job(id: $waiting) { ${JOB} deliveries { id } } }`
/** A job of the queue that was charged, so that its end is sent and gives something back. */
const charged = async ({ account }: World, cached: Cached) => {
  const submit = 'submitVoiceJob(slug: "tts", inputs: {text: "Hi.", voice: "aria"})'
  const answer = await cached.change('submitVoiceJob', does(submit, of('VoiceJobSubmission', 'jobId')))
  const waiting = (answer.submitVoiceJob as { jobId: string }).jobId
  const charge = "insert into credit_entry (account_id, kind, amount, job_id) values ($1, 'charge', -3, $2)"
  await run(charge, [account, waiting])
  await run('update account set credits = credits - 3 where id = $1', [account])
  return { waiting }
}

const CASES: readonly Case[] = [
  {
    name: 'cancelJob',
    mutation: does('cancelJob(id: $waiting)', of('VoiceJob', JOB), '($waiting: ID!)'),
    reads: [...shown('jobs', 'ledger', 'deliveries'), LIST, CANCELLED],
    before: charged,
  },
  {
    name: 'cancelJobs',
    mutation: does(
      'cancelJobs(ids: [$waiting])',
      of('CancelJobsSuccess', `results { job { ${JOB} } }`),
      '($waiting: ID!)',
    ),
    reads: [...shown('jobs', 'ledger', 'deliveries'), LIST, CANCELLED],
    before: charged,
  },
  {
    name: 'retryJob',
    mutation: does('retryJob(id: $failed)', of('RetryJobSuccess', `job { ${JOB} }`), '($failed: ID!)'),
    reads: [...shown('jobs', 'ledger'), LIST],
  },
  {
    name: 'retryJobs',
    mutation: does('retryJobs(ids: [$failed])', of('RetryJobsSuccess', `results { job { ${JOB} } }`), '($failed: ID!)'),
    reads: [...shown('jobs', 'ledger'), LIST],
  },
  {
    name: 'deleteJob',
    mutation: does('deleteJob(id: $done)', of('DeleteJobSuccess', 'id'), '($done: ID!)'),
    reads: [...shown('jobs', 'ledger', 'deliveries', 'audit'), LIST, 'query ($done: ID!) { node(id: $done) { id } }'],
  },
  {
    name: 'deleteJobs',
    mutation: does('deleteJobs(ids: [$done])', of('DeleteJobsSuccess', 'results { id isDeleted }'), '($done: ID!)'),
    reads: [...shown('jobs', 'ledger', 'deliveries', 'audit'), LIST, 'query ($done: ID!) { node(id: $done) { id } }'],
  },
  {
    name: 'submitVoiceJob',
    mutation: does(
      'submitVoiceJob(slug: "tts", inputs: {text: "Hi.", voice: "aria"})',
      of('VoiceJobSubmission', `job { ${JOB} }`),
    ),
    reads: [...shown('jobs', 'ledger'), LIST],
  },
  {
    name: 'submitVoiceJobs',
    mutation: does(
      'submitVoiceJobs(slug: "tts", inputs: [{text: "Hi.", voice: "aria"}])',
      of('VoiceJobSubmission', `job { ${JOB} }`),
    ),
    reads: [...shown('jobs', 'ledger'), LIST],
  },
  {
    name: 'submitGeneration',
    mutation: does(
      'submitGeneration(slug: "portrait", inputs: {prompt: "A cat."})',
      of('GenerationSubmission', `job { ${JOB} }`),
    ),
    reads: [...shown('jobs', 'ledger'), LIST],
  },
  {
    name: 'chatWithCompanion',
    mutation: does('chatWithCompanion(message: "Hi.")', of('CompanionChatAnswer', `job { ${JOB} }`)),
    reads: [...shown('jobs', 'ledger', 'deliveries'), LIST],
  },
  {
    name: 'retargetCompanion',
    mutation: does(
      'retargetCompanion(chatId: $chat, persona: "Kind.")',
      of('CompanionRetargetAnswer', `job { ${JOB} }`),
      '($chat: ID!)',
    ),
    reads: [...shown('jobs', 'ledger', 'deliveries'), LIST],
    before: async (_at, cached) => {
      const answer = await cached.change(
        'chatWithCompanion',
        does('chatWithCompanion(message: "Hi.")', of('CompanionChatAnswer', 'chatId')),
      )
      return { chat: (answer.chatWithCompanion as { chatId: string }).chatId }
    },
  },
  {
    name: 'tagMedia',
    mutation: does(
      'tagMedia(mediaUrl: "https://example.com/cat.png", mediaKind: IMAGE)',
      of('CompanionMediaTagAnswer', `job { ${JOB} }`),
    ),
    reads: [...shown('jobs', 'ledger', 'deliveries'), LIST],
  },
  {
    name: 'createApiKey',
    mutation: does('createApiKey(name: "new")', of('NewApiKey', 'key { id name scopes }')),
    reads: [...shown('keys', 'audit'), KEYS],
  },
  {
    name: 'updateApiKey',
    mutation: does(
      'updateApiKey(id: $spare, name: "renamed", scopes: ["generate:voice"])',
      of('ApiKey', 'id name scopes'),
      '($spare: ID!)',
    ),
    reads: [
      ...shown('keys', 'jobs', 'audit'),
      KEYS,
      'query ($spare: ID!) { node(id: $spare) { id ... on ApiKey { name scopes } } }',
    ],
  },
  {
    name: 'deleteApiKey',
    mutation: does('deleteApiKey(id: $spare)', of('DeleteApiKeySuccess', 'id'), '($spare: ID!)'),
    reads: [...shown('keys', 'jobs', 'audit'), KEYS, 'query ($spare: ID!) { node(id: $spare) { id } }'],
  },
  {
    name: 'inviteUser',
    mutation: does(
      'inviteUser(email: $email, role: MEMBER)',
      of('Invitation', 'user { id email role disabledAt }'),
      '($email: String!)',
    ),
    reads: [...shown('users', 'audit'), USERS],
    before: async () => ({ email: `invited.${newId('user')}@example.org` }),
  },
  {
    name: 'createSignInLink',
    mutation: does('createSignInLink(user: $user)', of('NewSignInLink', 'expiresAt'), '($user: ID!)'),
    reads: shown('audit'),
  },
  {
    name: 'resetPassword',
    mutation: does('resetPassword(user: $user)', of('Invitation', 'user { id hasPassword }'), '($user: ID!)'),
    reads: [...shown('users', 'audit'), SESSIONS, USERS],
  },
  {
    name: 'updateUser',
    mutation: user('updateUser(user: $user, role: OWNER)'),
    reads: [...shown('users', 'audit'), USERS],
  },
  {
    name: 'disableUser',
    mutation: user('disableUser(user: $user)'),
    reads: [...shown('users', 'audit'), SESSIONS, USERS],
  },
  {
    name: 'enableUser',
    mutation: user('enableUser(user: $user)'),
    reads: [...shown('users', 'audit'), USERS],
    before: async ({ other }) => void (await run('update "user" set disabled_at = now() where id = $1', [other.id])),
  },
  {
    name: 'setWebhookUrl',
    mutation: does(
      'setWebhookUrl(url: "https://hooks.example.org/new")',
      of('Webhook', 'id url secrets { id expiresAt }'),
    ),
    reads: [...shown('audit'), WEBHOOK],
  },
  {
    name: 'rotateWebhookSecret',
    mutation: does(
      'rotateWebhookSecret',
      of('RotateWebhookSecretSuccess', 'webhook { id url secrets { id expiresAt } }'),
    ),
    reads: [...shown('audit'), WEBHOOK],
  },
  {
    name: 'expireWebhookSecret',
    mutation: does(
      'expireWebhookSecret(id: $secret)',
      of('Webhook', 'id url secrets { id expiresAt }'),
      '($secret: ID!)',
    ),
    reads: [...shown('audit'), WEBHOOK],
    before: async (_at, cached) => {
      await cached.change(
        'rotateWebhookSecret',
        does('rotateWebhookSecret', of('RotateWebhookSecretSuccess', 'secret')),
      )
      const { webhook } = (await cached.ask(WEBHOOK)) as {
        webhook: { secrets: { id: string; expiresAt: string | null }[] }
      }
      return { secret: webhook.secrets.find(({ expiresAt }) => expiresAt !== null)!.id }
    },
  },
  {
    name: 'sendTestWebhook',
    mutation: does('sendTestWebhook', of('WebhookDelivery', 'id state finishedAt')),
    reads: [...shown('deliveries', 'jobs'), DELIVERIES],
  },
  {
    name: 'redeliverWebhook',
    mutation: does('redeliverWebhook(id: $delivery)', of('WebhookDelivery', 'id state finishedAt'), '($delivery: ID!)'),
    reads: [
      ...shown('deliveries', 'jobs'),
      DELIVERIES,
      'query ($delivery: ID!) { node(id: $delivery) { id ... on WebhookDelivery { state } } }',
    ],
  },
  {
    name: 'redeliverWebhooks',
    mutation: does('redeliverWebhooks', of('RedeliverWebhooksSuccess', 'sent { id state finishedAt }')),
    reads: [
      ...shown('deliveries', 'jobs'),
      DELIVERIES,
      'query ($delivery: ID!) { node(id: $delivery) { id ... on WebhookDelivery { state } } }',
    ],
  },
  {
    name: 'renameVoice',
    mutation: does('renameVoice(id: $voice, name: "other")', of('AccountVoice', 'id name'), '($voice: ID!)'),
    reads: [...shown('voices'), VOICES, '{ account { id voices { id name } } }'],
  },
  {
    name: 'deleteVoice',
    mutation: does('deleteVoice(id: $voice)', of('DeleteVoiceSuccess', 'id'), '($voice: ID!)'),
    reads: [...shown('voices'), VOICES, '{ account { id voices { id name } } }'],
  },
  {
    name: 'setLexicon',
    mutation: does(
      'setLexicon(entries: [{grapheme: "SQL", alias: "sequel"}])',
      of('Lexicon', 'id entries { grapheme alias }'),
    ),
    reads: [...shown('lexicon', 'readings'), '{ lexicon { id entries { grapheme alias } } }'],
    before: async (_at, cached) => void (await cached.change('applyEndpoints', apply(['stage'], 'Stage', 'en-us'))),
  },
  {
    name: 'createProject',
    mutation: does('createProject(name: "New")', of('Project', 'id name')),
    reads: shown('projects'),
  },
  {
    name: 'saveProject',
    mutation: does(
      'saveProject(id: $project, revision: 1, name: "Other", chapters: [{key: "c1", title: "Two"}])',
      of('Project', 'id revision'),
      '($project: ID!)',
    ),
    reads: [...shown('projects'), PROJECT],
  },
  {
    name: 'restoreProjectVersion',
    mutation: does(
      'restoreProjectVersion(id: $project, revision: 2, version: 1)',
      of('Project', 'id revision'),
      '($project: ID!)',
    ),
    reads: [...shown('projects'), PROJECT],
    before: async ({ account, project: id }) => {
      await saveProject(service.runtime.as({ kind: 'account', accountId: account, credits: 1n }), {
        ...{ id, revision: 1, name: 'Other', chapters: [] },
      })
      return undefined
    },
  },
  {
    name: 'speakParagraphs',
    mutation: does(
      'speakParagraphs(id: $project)',
      of('SpeakParagraphsSuccess', `results { key job { ${JOB} } }`),
      '($project: ID!)',
    ),
    reads: [...shown('jobs', 'ledger', 'projects'), LIST, TAKES],
  },
  {
    name: 'chooseTake',
    mutation: does(
      'chooseTake(id: $project, paragraph: "p1", job: $done)',
      of('Project', 'id'),
      '($project: ID!, $done: ID!)',
    ),
    reads: [...shown('projects'), PROJECT, TAKES],
    before: async ({ project: projectId, done, failed }) => {
      for (const jobId of [done, failed]) {
        const artifact = `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms)
          values ($1, $1, 'audio', $1, 'audio/wav', 4, sha256('audio'), 1500)`
        await run(artifact, [jobId])
        await run(`update job set status = 'completed', error_code = null where id = $1`, [jobId])
        const data = { projectId, paragraph: 'p1', jobId, fingerprint: 'none' }
        await service.runtime.db.prisma.projectTake.create({ data })
      }
      return undefined
    },
  },
  {
    name: 'deleteProject',
    mutation: does('deleteProject(id: $project)', of('DeleteProjectSuccess', 'id'), '($project: ID!)'),
    reads: [...shown('projects', 'audit'), PROJECT, 'query ($project: ID!) { node(id: $project) { id } }'],
  },
  {
    name: 'createAccount',
    mutation: does('createAccount(name: $name, credits: 1)', of('Account', 'id name credits'), '($name: String!)'),
    reads: [...shown('audit'), '{ accounts(last: 3) { edges { node { id name credits } } } }'],
    before: async () => ({ name: `made ${newId('acct')}` }),
  },
  {
    name: 'creditAccount',
    mutation: does('creditAccount(account: $account, amount: 7)', of('Account', 'id credits'), '($account: ID!)'),
    reads: [
      ...shown('ledger', 'audit'),
      '{ account { id credits } }',
      '{ creditEntries { edges { node { id amount } } } }',
    ],
  },
  {
    name: 'updateAccount',
    mutation: does(
      'updateAccount(account: $account, monthlyLimit: 900)',
      of('Account', 'id monthlyLimit'),
      '($account: ID!)',
    ),
    reads: [...shown('audit'), '{ account { id monthlyLimit usedThisMonth } }'],
  },
  {
    name: 'disableAccount',
    mutation: does('disableAccount(account: $account)', of('Account', 'id disabledAt'), '($account: ID!)'),
    reads: shown('audit'),
    before: async () => ({ account: await service.createAccount() }),
  },
  {
    name: 'enableAccount',
    mutation: does('enableAccount(account: $account)', of('Account', 'id disabledAt'), '($account: ID!)'),
    reads: [...shown('audit'), '{ account { id disabledAt } }'],
  },
  {
    name: 'applyEndpoints',
    mutation: apply(
      ['stage', 'made'],
      'New name',
      'de',
      of('ApplyEndpointsSuccess', 'endpoints { id name } workflows { id name }'),
    ),
    reads: [...shown('endpoints', 'readings', 'madeEndpoint', 'audit'), ENDPOINTS],
    before: async ({ account, key }, cached) => {
      await cached.change('applyEndpoints', apply(['stage', 'made'], 'Old name', 'en-us'))
      await cached.change('deleteEndpoint', does('deleteEndpoint(slug: "made")', ''))
      await insertJob(service.runtime.db, account, { apiKeyId: key.apiKeyId, endpointKey: 'voice.made' })
      return undefined
    },
  },
  {
    name: 'deleteEndpoint',
    mutation: does('deleteEndpoint(slug: "gone")', of('DeleteEndpointSuccess', 'id')),
    reads: [...shown('endpoints', 'audit'), ENDPOINTS, '{ node(id: "voice.gone") { id } }'],
    before: async (_at, cached) => void (await cached.change('applyEndpoints', apply(['gone'], 'Gone', 'en-us'))),
  },
  {
    name: 'dismissFirstSteps',
    by: 'owner',
    mutation: does('dismissFirstSteps', of('Me', 'id firstStepsDismissedAt')),
    reads: [ME],
  },
  {
    name: 'endSession',
    by: 'owner',
    mutation: does(
      'endSession(id: $session)',
      of('EndSessionSuccess', 'id me { id sessions { id current } }'),
      '($session: ID!)',
    ),
    reads: [SESSIONS, ME],
    before: async ({ owner }, cached) => {
      await users.signIn(owner.email)
      const { me } = (await cached.ask(ME)) as { me: { sessions: { id: string; current: boolean }[] } }
      return { session: me.sessions.find(({ current }) => !current)!.id }
    },
  },
  {
    name: 'changePassword',
    by: 'owner',
    mutation: does(
      'changePassword(currentPassword: $password, newPassword: "another horse battery")',
      of('ChangePasswordSuccess', 'sessions me { id sessions { id current } }'),
      '($password: String!)',
    ),
    reads: [...shown('audit'), SESSIONS, ME],
    before: async ({ owner }) => {
      await users.signIn(owner.email)
      return { password: PASSWORD }
    },
  },
]

/**
 * They change nothing that a query shows, or make another caller; `completePerson` has a test of its own, and
 * `pullModel`, which applies an endpoint as `applyEndpoints` does, needs a mirror with models.
 */
const OTHERS = [
  ...['checkEngine', 'hearEngine', 'proposeEngine', 'reauthenticate', 'completePerson', 'pullModel'],
  ...NEW_CALLER,
]

test('every mutation is tried, and every list that is forgotten belongs to one', () => {
  expect([...CASES.map(({ name }) => name), ...OTHERS].toSorted()).toEqual(mutations.toSorted())
  const known = Object.values(graphql.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.keys(type.getFields()).flatMap((field) => [field, `${type.name}.${field}`]))
  for (const [name, lists] of Object.entries(CHANGED_LISTS)) {
    expect(mutations).toContain(name)
    expect(lists.filter((list) => !known.includes(list))).toEqual([])
  }
})

test.each(CASES)('the caches of urql and Apollo say after $name what the server says', async ({ by, ...one }) => {
  const { name, mutation, reads, before } = one
  const at = await world()
  const headers: Headers =
    by === 'owner' ? { cookie: at.owner.cookie, origin: service.url } : { authorization: `Bearer ${at.key.apiKey}` }
  const ask = askedOnce(asker(headers))
  const caches = [openUrql(ask), openApollo(ask)]
  const ids = {
    waiting: at.waiting,
    failed: at.failed,
    done: at.done,
    delivery: at.delivery,
    voice: at.voice,
    project: at.project,
    account: at.account,
    spare: at.spare.apiKeyId,
    user: at.other.id,
  }
  const variables = usedIn({ ...ids, ...(await before?.(at, caches[0]!)) })
  for (const cached of caches) {
    for (const query of reads) await cached.read(query, variables(query))
    const asked = cached.asked()
    for (const query of reads) await cached.read(query, variables(query))
    expect(cached.asked()).toBe(asked)
  }
  for (const cached of caches) {
    const answer = await cached.change(name, mutation, variables(mutation))
    expect((answer[name] as { __typename: string }).__typename).not.toBe('RequestError')
  }
  // Asked of the server itself, since the caches share what they ask.
  const fresh = openUrql(asker(headers))
  for (const query of reads) {
    const now: unknown[] = []
    for (const cached of caches) {
      const before = cached.asked()
      now.push(await cached.read(query, variables(query)))
      if (!fieldsOf(query).some((field) => CHANGED_LISTS[name]?.includes(field))) expect(cached.asked()).toBe(before)
    }
    const said = await fresh.ask(query, variables(query))
    expect(now).toEqual([said, said])
  }
})

describe.each([
  ['urql', openUrql],
  ['Apollo', openApollo],
] as const)('the cache of %s', (_client, open) => {
  test.each([
    {
      of: 'key',
      name: 'updateApiKey',
      mutation: does('updateApiKey(id: $own, scopes: ["job:read"])', of('ApiKey', 'id scopes'), '($own: ID!)'),
    },
    {
      of: 'user',
      name: 'updateUser',
      mutation: does('updateUser(user: $own, role: MEMBER)', of('User', 'id role'), '($own: ID!)'),
    },
  ])("says what the caller's own $of may do after it got less by $name", async (changed) => {
    const { owner, key } = await world()
    await users.user('owner', owner.account)
    const isKey = changed.of === 'key'
    const headers: Headers = isKey
      ? { authorization: `Bearer ${key.apiKey}` }
      : { cookie: owner.cookie, origin: service.url }
    const cached = open(asker(headers))
    const before = await Promise.all(SHOWN.caller.map((query) => cached.read(query)))
    await cached.change(changed.name, changed.mutation, { own: isKey ? key.apiKeyId : owner.id })
    const fresh = open(asker(headers))
    const answerOf = (asked: Promise<unknown>) => asked.catch(({ message }: Error) => message)
    for (const [index, query] of SHOWN.caller.entries()) {
      const answer = await answerOf(fresh.ask(query))
      expect(await answerOf(cached.read(query))).toEqual(answer)
      if (query.includes('scopes')) expect(answer).not.toEqual(before[index])
    }
  })

  test('says after completePerson what the server says', async () => {
    const newcomer = await users.newcomer()
    const { cookie } = await users.redeem(await users.tokenFor(newcomer.id))
    const cached = open(asker({ cookie: cookie!, origin: service.url }))
    await cached.read(ME)
    await cached.change(
      'completePerson',
      does(
        'completePerson(email: $email, password: $password)',
        of('User', 'id email hasPassword'),
        '($email: String!, $password: String!)',
      ),
      { email: `complete.${newId('user')}@example.org`, password: PASSWORD },
    )
    const now = await cached.read(ME)
    expect(now).toEqual(await cached.ask(ME))
  })

  test('keeps the three names of a key that was renamed twice in its three entries of the audit', async () => {
    const at = await world()
    const caller = (kind: 'key') =>
      service.runtime.as({ kind, accountId: at.account, apiKeyId: at.key.apiKeyId, scopes: SCOPES, credits: 1n })
    const names: string[] = []
    for (const name of ['first', 'second', 'third']) {
      await updateApiKey(service.runtime.as({ kind: 'system' }), { apiKeyId: at.key.apiKeyId, name })
      await updateApiKey(caller('key'), { apiKeyId: at.spare.apiKeyId, name: `by ${name}` })
      names.unshift(name)
    }
    const cached = open(asker({ authorization: `Bearer ${at.key.apiKey}` }))
    const AUDIT =
      '{ auditEntries(actions: [KEY_UPDATED]) { edges { node { id by { kind callerId name apiKey { id name } } } } } }'
    type Audit = {
      auditEntries: { edges: { node: { by: { kind: string; callerId: string; name: string; apiKey: object } } }[] }
    }
    await cached.ask(AUDIT)
    const { auditEntries } = (await cached.read(AUDIT)) as Audit
    const byKey = auditEntries.edges.map(({ node }) => node.by).filter(({ kind }) => kind === 'KEY')
    expect(byKey.map(({ name }) => name)).toEqual(names)
    expect(byKey.map(({ callerId, apiKey }) => [callerId, apiKey])).toEqual(
      names.map(() => [at.key.apiKeyId, { id: at.key.apiKeyId, name: 'third' }]),
    )
  })
})

/** All fields that a document names, those of the root and of the viewer as `Query.field` and `Viewer.field` as well. */
function fieldsOf(document: string): string[] {
  const fields: string[] = []
  const { selectionSet } = visit(parse(document), {
    Field: ({ name }) => void fields.push(name.value),
  }).definitions[0] as OperationDefinitionNode
  const chosenIn = (set: SelectionSetNode | undefined) =>
    set?.selections.flatMap((field) => (field.kind === Kind.FIELD ? [field] : [])) ?? []
  const roots = chosenIn(selectionSet)
  const ofViewer = roots
    .filter(({ name }) => name.value === 'viewer')
    .flatMap((viewer) => chosenIn(viewer.selectionSet))
  return [
    ...fields,
    ...roots.map(({ name }) => `Query.${name.value}`),
    ...ofViewer.map(({ name }) => `Viewer.${name.value}`),
  ]
}

/** The variables that a document declares. */
const usedIn =
  (all: Record<string, unknown>) =>
  (document: string): object =>
    Object.fromEntries(Object.entries(all).filter(([name]) => document.includes(`$${name}`)))
