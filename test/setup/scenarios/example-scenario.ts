import { randomUUID } from 'node:crypto'
import { applyEndpoints } from '../../../src/catalog/apply-endpoints.ts'
import { createProject, saveProject } from '../../../src/projects/change-project.ts'
import type { Runtime } from '../../../src/runtime/runtime.ts'
import { createUser } from '../../../src/users/create-user.ts'
import { createSignInLink, redeemSignInLink } from '../../../src/users/sign-in-link.ts'
import { sendTestWebhook } from '../../../src/webhooks/delivery/create-delivery.ts'
import { rotateWebhookSecret, setWebhookUrl } from '../../../src/webhooks/webhook.ts'
import { call } from '../http.ts'
import { endpoint } from '../jobs/fixtures.ts'
import { insertJob } from '../jobs/jobs.ts'
import { insertVoice } from '../jobs/library.ts'
import { submitText } from '../jobs/voice-jobs.ts'
import { chatAnswer } from '../servers/provider-server.ts'
import { startSpeechServer } from '../servers/speech-server.ts'
import type { GraphqlAnswer } from '../service/graphql.ts'
import { COMPANION_SCOPES, type Producers, startProducers } from '../service/producers.ts'
import { tokenOf } from '../service/users.ts'

type Variables = Readonly<Record<string, unknown>>

/** A service that holds what every example asks for. */
export interface ExampleScenario {
  readonly url: string
  /** It may do everything that a key can. */
  readonly key: string
  /** An example's variables, with ids of what is there. */
  variablesFor(name: string, variables: Variables): Promise<Record<string, unknown>>
  /** Asks with the key, or as a user where only a user can. */
  ask(name: string, query: string, variables: Variables): Promise<GraphqlAnswer<Record<string, object | null>>>
  close(): Promise<void>
}

const SCOPES = ['generate:voice', 'job:read', 'account:admin', 'voice:library', 'operator', ...COMPANION_SCOPES]
const PASSWORD = 'a long password'
const KOKORO = {
  '/v1/models': { json: { data: [{ id: 'kokoro', owned_by: 'kokoro' }] } },
  '/v1/audio/voices': { json: { voices: ['af_heart'] } },
}

type Makers = Readonly<Record<string, () => Promise<object>>>

const BY_A_USER = ['me', 'change-password', 'dismiss-first-steps', 'end-session', 'reauthenticate', 'sign-out']

export async function openExampleScenario(): Promise<ExampleScenario> {
  const service = await startProducers(({ url }) => ({ COMPANION_BASE_URL: url, MODERATION_BASE_URL: url }))
  service.provider.script('/v1/chat/completions', chatAnswer('["harbour", "ships"]'))
  const account = await service.createAccount()
  const { apiKey: key } = await service.createKey(account, SCOPES)
  const speech = await startSpeechServer()
  speech.show(KOKORO)
  const system = service.runtime.as({ kind: 'system' })
  const source = JSON.stringify({ endpoints: [endpoint('short')], workflows: [portrait(service.provider.url)] })
  await applyEndpoints(system, { source, readAudio: () => Promise.reject(new Error('no audio here')) })
  const email = `user.${account}@example.com`
  await createUser(system, { account, email, password: PASSWORD, role: 'owner' })
  const makers: Makers = {
    ...makersOf(service, account, key, email),
    'propose-engine': async () => ({ address: speech.url }),
  }
  await setWebhookUrl(service.runtime.as(holderOf(account)), { url: 'https://example.com/hooks' })

  const post = (body: object, headers: Record<string, string>) =>
    call(`${service.url}/graphql`, { method: 'POST', headers: { origin: service.url, ...headers }, body })
  const signIn = async (): Promise<Record<string, string>> => {
    const query = `mutation { signIn(email: "${email}", password: "${PASSWORD}") { __typename } }`
    return { cookie: (await post({ query }, {})).headers['set-cookie']!.split(';')[0]! }
  }
  const variablesFor = async (name: string, variables: Variables) => ({ ...variables, ...(await makers[name]?.()) })
  return {
    url: service.url,
    key,
    variablesFor,
    ask: async (name, query, variables) => {
      const headers = BY_A_USER.includes(name)
        ? await signIn()
        : name === 'complete-person'
          ? await enter(service, account)
          : { authorization: `Bearer ${key}` }
      return (await post({ query, variables: await variablesFor(name, variables) }, headers)).json()
    },
    close: async () => {
      await service.close()
      await speech.close()
    },
  }
}

/** A new user without a password, by id. */
async function newUser({ runtime }: Producers, account: string): Promise<string> {
  const user = { account, email: `${randomUUID()}@example.com`, role: 'member' } as const
  return (await createUser(runtime.as({ kind: 'system' }), user)).id
}

/** The token of a link, for a new user without a password unless for another one. */
async function newToken(service: Producers, account: string, user?: string): Promise<string> {
  const named = user ?? (await newUser(service, account))
  return tokenOf((await createSignInLink(service.runtime.as({ kind: 'system' }), { user: named })).url)
}

/** The cookie of such a user. */
async function enter(service: Producers, account: string, user?: string): Promise<Record<string, string>> {
  const token = await newToken(service, account, user)
  const opened = await redeemSignInLink(service.runtime.as({ kind: 'anonymous' }), { token, address: '127.0.0.1' })
  return { cookie: `sonant_session_${new URL(service.url).port}=${opened.token}` }
}

const holderOf = (accountId: string) => ({ kind: 'account', accountId, credits: 1n }) as const

/** Makes the things that examples name, new ones for each. */
function makersOf(service: Producers, account: string, key: string, email: string) {
  const { db } = service.runtime
  const submit = async (text: string) => ({ jobId: await submitText(service.url, key, 'tts', text, 'aria') })
  const insert = async (status: 'processing' | 'completed') => ({ jobId: await insertJob(db, account, { status }) })
  const otherKey = async () => ({ id: (await service.createKey(account)).apiKeyId })
  const newVoice = async () => ({ id: await insertVoice(db, account) })
  const newProject = () => insertProject(service.runtime, account)
  const end = `set status = 'failed', completed_at = now(), error_code = 'RENDER_FAILED'`
  const makers: Makers = {
    job: () => insert('completed'),
    'voice-job': () => insert('completed'),
    'job-updated': async () => ({ id: (await insert('processing')).jobId }),
    'jobs-updated': async () => {
      await insert('processing')
      return {}
    },
    'deliveries-updated': async () => {
      await sendTestWebhook(service.runtime.as(holderOf(account)))
      return {}
    },
    'jobs-changed': async () => {
      await insert('processing')
      return {}
    },
    'cancel-jobs': async () => ({ ids: [(await submit('Never mind.')).jobId] }),
    'retry-jobs': async () => {
      const { jobId } = await submit('Once more.')
      await db.pool.query(`update job ${end} where id = $1`, [jobId])
      return { ids: [jobId] }
    },
    'cancel-job': () => submit('Never mind.'),
    'retry-job': async () => {
      const failed = await submit('Once more.')
      await db.pool.query(`update job ${end} where id = $1`, [failed.jobId])
      return failed
    },
    'expire-webhook-secret': async () => {
      await rotateWebhookSecret(service.runtime.as(holderOf(account)))
      const older = { accountId: account, expiresAt: { not: null } }
      const { publicId } = await db.prisma.webhookSecret.findFirstOrThrow({ where: older, select: { publicId: true } })
      return { id: publicId }
    },
    'redeliver-webhook': async () => {
      const id = await sendTestWebhook(service.runtime.as(holderOf(account)))
      await db.pool.query(`update webhook_delivery set state = 'failed', finished_at = now() where id = $1`, [id])
      return { id }
    },
    'retarget-companion': async () => {
      const { body } = await service.send<{ chat_id: string }>('/companion/chat', key, { message: 'Good morning!' })
      return { chatId: body.chat_id }
    },
    'delete-job': () => insert('completed'),
    'delete-jobs': async () => ({ ids: [(await insert('completed')).jobId] }),
    'audio-zip': async () => {
      const { jobId } = await insert('completed')
      await insertAudio(service.runtime, jobId)
      return { ids: [jobId] }
    },
    'disable-account': async () => ({ account: await service.createAccount() }),
    'enable-account': async () => ({ account: await service.createAccount() }),
    'reset-password': async () => ({ user: await newUser(service, account) }),
    'rename-voice': newVoice,
    'delete-voice': newVoice,
    project: newProject,
    'project-versions': newProject,
    'save-project': newProject,
    'restore-project-version': newProject,
    'delete-project': newProject,
    'speak-paragraphs': newProject,
    'project-takes': () => insertTake(service.runtime, account),
    'project-export': () => insertTake(service.runtime, account),
    'project-captions': () => insertTake(service.runtime, account),
    'choose-take': () => insertTake(service.runtime, account),
    'delete-api-key': otherKey,
    'update-api-key': otherKey,
    'credit-account': async () => ({ account }),
    'update-account': async () => ({ account }),
    'invite-user': async () => ({ email: `${randomUUID()}@example.com` }),
    'update-user': async () => ({ user: await newUser(service, account) }),
    'disable-user': async () => ({ user: await newUser(service, account) }),
    'enable-user': async () => ({ user: await newUser(service, account) }),
    'end-session': async () => {
      await enter(service, account, email)
      return db.prisma.session.findFirstOrThrow({
        where: { user: { email } },
        orderBy: { id: 'desc' },
        select: { id: true },
      })
    },
    'create-sign-in-link': async () => ({ user: email }),
    'sign-in-link': async () => ({ token: await newToken(service, account) }),
    'redeem-sign-in-link': async () => ({ token: await newToken(service, account) }),
    reauthenticate: async () => ({ password: PASSWORD }),
    'sign-in': async () => ({ email, password: PASSWORD }),
    // The same again: others sign in with it, too.
    'change-password': async () => ({ currentPassword: PASSWORD, newPassword: PASSWORD }),
  }
  return makers
}

/** A project of two chapters that was saved once. */
async function insertProject(runtime: Runtime, account: string): Promise<{ id: string }> {
  const author = runtime.as(holderOf(account))
  const chapters = ['stave-1', 'stave-2'].map((key) => ({ key, paragraphs: [{ key: `${key}-p1`, text: 'Bah!' }] }))
  const { id } = await createProject(author, { name: 'A Christmas Carol', chapters })
  const person = runtime.as({
    ...holderOf(account),
    kind: 'key',
    apiKeyId: 'key_gone',
    scopes: ['generate:voice', 'job:read'],
  })
  await saveProject(person, { id, revision: 1, name: 'A Carol' })
  return { id }
}

const insertAudio = ({ db }: Runtime, jobId: string) =>
  db.pool.query(
    `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms)
     values ($1, $1, 'audio', $1, 'audio/wav', 4, sha256('audio'), 1500)`,
    [jobId],
  )

/** Such a project with a take. */
async function insertTake(runtime: Runtime, account: string): Promise<{ id: string; job: string }> {
  const { id } = await insertProject(runtime, account)
  const job = await insertJob(runtime.db, account, { status: 'completed' })
  await insertAudio(runtime, job)
  const take = { projectId: id, paragraph: 'stave-1-p1', jobId: job, fingerprint: 'none' }
  await runtime.db.prisma.projectTake.create({ data: take })
  return { id, job }
}

const portrait = (baseUrl: string) => ({
  slug: 'portrait',
  name: 'Portrait',
  inputs: {
    type: 'object',
    additionalProperties: false,
    required: ['prompt'],
    properties: { prompt: { type: 'string', minLength: 1, maxLength: 100 } },
  },
  engine: { kind: 'cog', base_url: baseUrl },
  credits_per_job: 10,
})
