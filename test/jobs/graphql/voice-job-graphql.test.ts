import { readFileSync } from 'node:fs'
import { buildSchema, isObjectType } from 'graphql'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startWorker } from '../../../src/worker/start-worker.ts'
import { call } from '../../setup/http.ts'
import { insertJob } from '../../setup/jobs/jobs.ts'
import { insertVoice } from '../../setup/jobs/library.ts'
import { allFinished, applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { applyWorkflow, submitPrompt } from '../../setup/jobs/workflows.ts'
import { ask, codeOf, errorOf, mutation, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { standInEngines } from '../../setup/speech/stand-in-engine.ts'

interface ShownJob {
  id: string
  tags: string[]
  voice?: string | null
  language?: string | null
  characters?: number | null
  textExcerpt?: string | null
  audio?: { output: string; url: string } | null
}

const FIELDS = 'id tags ... on VoiceJob { voice language characters textExcerpt audio { output url } }'
const SUBMIT = mutation(
  'submitVoiceJob(slug: $slug, inputs: $inputs, options: $options, idempotencyKey: $key)',
  '... on VoiceJobSubmission { jobId replayed }',
  '($slug: String!, $inputs: JSON!, $options: SubmitOptions, $key: String)',
)
const RUN = mutation(
  'submitGeneration(slug: "sketch", inputs: { prompt: "A fox." }, options: $options)',
  '... on GenerationSubmission { jobId }',
  '($options: SubmitOptions)',
)
const CHARGE = `insert into credit_entry (account_id, kind, amount, job_id) values ($1, 'charge', -1, $2)`
const GERMAN = 'Guten Morgen, wie geht es dir heute? Das ist ein Satz, der auf Deutsch gesagt wird.'
const ODD = ['a,b', '{x}', '"quoted" \\ back', 'NULL', ' ', "it's", '$1', 'Ünïcödé 🚀', '🚀'.repeat(64), '100 %']

let service: TestRuntime
let worker: Awaited<ReturnType<typeof startWorker>>
let caller: Awaited<ReturnType<TestRuntime['createCaller']>>
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  const properties = {
    text: { type: 'string', maxLength: 5000 },
    speaker: { type: 'string' },
    language: { type: 'string', enum: ['auto', 'German', 'English'] },
  }
  const inputs = { type: 'object', additionalProperties: false, required: ['text', 'speaker'], properties }
  const voice = { name: 'A voice', description: '', kind: 'preset' }
  const voices = [
    { ...voice, slug: 'calm', engine_voice: 'en-us+f3' },
    { ...voice, slug: 'anyone', engine_voice: 'speaker 7' },
  ]
  const server = { kind: 'openai-speech', base_url: 'http://127.0.0.1:9', model: 'stand-in', profile: 'vllm-omni' }
  const changes = { inputs, voices, voice_input: 'speaker' }
  await applyEndpoint(service.runtime, 'plain', server, { ...changes, library_voices: true })
  await applyEndpoint(service.runtime, 'ssml', server, { ...changes, markup: 'ssml' })
  await applyEndpoint(service.runtime, 'pauses', server, { ...changes, markup: 'pauses' })
  await applyEndpoint(service.runtime, 'usual')
  // Workers turn from a server that is away, so the voices have another one.
  await applyWorkflow(service.runtime, 'sketch', { base_url: 'http://127.0.0.1:7' })
  worker = await startWorker(service.runtime, { engines: standInEngines(() => undefined) })
  caller = await service.createCaller()
})
afterAll(async () => {
  await worker.stop()
  await service.close()
})

const shown = async (id: string): Promise<ShownJob> =>
  (await read<{ job: ShownJob }>(service.url, caller.key, `query ($id: ID!) { job(jobId: $id) { ${FIELDS} } }`, { id }))
    .job
const submit = (variables: { slug?: string; inputs?: object; options?: object; key?: string }) =>
  ask<{ submitVoiceJob: { jobId: string; replayed: boolean } }>(service.url, caller.key, SUBMIT, {
    slug: 'plain',
    ...variables,
    inputs: { text: 'Hello.', speaker: 'calm', ...variables.inputs },
  })
const submitted = async (variables: Parameters<typeof submit>[0]): Promise<string> => {
  const answer = await submit(variables)
  const made = answer.data?.submitVoiceJob
  if (made === undefined) throw new Error(`a submission was refused: ${JSON.stringify(answer)}`)
  return made.jobId
}

describe('the voice of a job', () => {
  test('is the value of the voice input of its endpoint, whatever that is called, and its language that of the voice', async () => {
    const id = await submitted({})
    expect(await shown(id)).toMatchObject({ voice: 'calm', language: 'English', tags: [] })
    const byRest = await submitText(service.url, caller.key, 'usual', 'Hello.')
    expect(await shown(byRest)).toMatchObject({ voice: 'calm', language: 'English', tags: [] })
  })

  test("is the id of one of the account's own voices", async () => {
    const speaker = await insertVoice(service.runtime.db, caller.account)
    expect(await shown(await submitted({ inputs: { speaker } }))).toMatchObject({ voice: speaker })
  })

  test('of a job from before the column is read from its inputs, and null once its endpoint is gone', async () => {
    const [kept, orphan] = [await submitted({}), await submitted({})]
    await allFinished(service.runtime, [kept, orphan])
    const forget = 'update job set voice = null, language = null, tags = null, endpoint_key = $2 where id = $1'
    await service.runtime.db.pool.query(forget, [kept, 'voice.plain'])
    await service.runtime.db.pool.query(forget, [orphan, 'voice.deleted'])
    expect(await shown(kept)).toMatchObject({ voice: 'calm', language: null, tags: [] })
    expect(await shown(orphan)).toMatchObject({ voice: null, language: null })
  })
})

describe('the language of a job', () => {
  test.each([
    ['the one that the request names', { language: 'German', speaker: 'calm', text: 'Hello there.' }, 'German'],
    ['that of its voice unless the request names one', { language: 'auto', speaker: 'calm', text: GERMAN }, 'English'],
  ])('is %s', async (_which, inputs, language) => {
    expect(await shown(await submitted({ inputs }))).toMatchObject({ language })
  })

  test('of a voice without one is detected by the worker that speaks the text', async () => {
    const ids = [
      await submitted({ inputs: { speaker: 'anyone', text: GERMAN } }),
      await submitted({ inputs: { speaker: 'anyone', text: GERMAN, language: 'English' } }),
      await submitted({ inputs: { speaker: 'anyone', text: '12345' } }),
    ]
    await allFinished(service.runtime, ids)
    const languages = await Promise.all(ids.map(async (id) => (await shown(id)).language))
    expect(languages).toEqual(['German', 'English', null])
  })
})

describe('tags', () => {
  test('are kept as they are, in their order, equal ones once, of voice jobs and generations', async () => {
    const options = { tags: [...ODD.slice(0, 9), ODD[0], ODD[9]] }
    expect((await shown(await submitted({ options }))).tags).toEqual(ODD)
    const made = await read<{ submitGeneration: { jobId: string } }>(
      service.url,
      (await service.createKey(caller.account, ['generate:workflow'])).apiKey,
      RUN,
      { options },
    )
    const job = await shown(made.submitGeneration.jobId)
    expect(job).toEqual({ id: made.submitGeneration.jobId, tags: ODD })
  })

  test('are none without options, with none and from REST', async () => {
    const key = (await service.createKey(caller.account, ['generate:workflow'])).apiKey
    const ids = [
      await submitted({ options: {} }),
      await submitted({ options: { tags: [] } }),
      await submitPrompt(service.url, key, 'sketch', 'A fox.'),
    ]
    for (const id of ids) expect((await shown(id)).tags).toEqual([])
    const { rows } = await service.runtime.db.pool.query('select tags from job where id = any($1)', [ids])
    expect(rows).toEqual(ids.map(() => ({ tags: null })))
  })

  test.each<[string, string[]]>([
    ['eleven', Array.from({ length: 11 }, (_, index) => `tag ${index}`)],
    ['an empty one', ['one', '']],
    ['one of 65 characters', ['🚀'.repeat(65)]],
    ['a line break', ['one\ntwo']],
  ])('are refused with their place: %s', async (_what, tags) => {
    const answer = await submit({ options: { tags } })
    expect(errorOf(answer)).toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'Send at most 10 tags of 1 to 64 characters: see `details`.',
      details: [{ path: '/options/tags' }],
    })
  })

  test.each(['\0', '\ud83d'])('that cannot be stored are refused: %j', async (tag) => {
    expect(codeOf(await submit({ options: { tags: [tag] } }))).toBe('INVALID_REQUEST')
  })

  test('belong to the request that an idempotency key stands for', async () => {
    const first = await submit({ key: 'tagged', options: { tags: ['a', 'b'] } })
    const again = await submit({ key: 'tagged', options: { tags: ['a', 'b'] } })
    const { jobId } = first.data!.submitVoiceJob
    expect(again.data!.submitVoiceJob).toEqual({ jobId, replayed: true })
    expect((await shown(jobId)).tags).toEqual(['a', 'b'])
    for (const options of [{ tags: ['a'] }, {}])
      expect(errorOf(await submit({ key: 'tagged', options }))).toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' })
    const plain = await submit({ key: 'plain' })
    const empty = await submit({ key: 'plain', options: { tags: [] } })
    expect(empty.data!.submitVoiceJob).toEqual({ ...plain.data!.submitVoiceJob, replayed: true })
  })

  test('go on in the job that repeats a failed one', async () => {
    const id = await submitted({ options: { tags: ODD } })
    await allFinished(service.runtime, [id])
    await service.runtime.db.pool.query(
      `update job set status = 'failed', error_code = 'RENDER_FAILED' where id = $1`,
      [id],
    )
    const retry = mutation(
      'retryJob(jobId: $id)',
      '... on RetryJobSuccess { job { id tags ... on VoiceJob { voice } } }',
      '($id: ID!)',
    )
    const { retryJob } = await read<{ retryJob: { job: object } }>(service.url, caller.key, retry, { id })
    expect(retryJob.job).toEqual({ id: expect.not.stringContaining(id), tags: ODD, voice: 'calm' })
  })
})

describe('the text of a job', () => {
  const WORDS = 'word '.repeat(40).trim()
  test.each([
    ['as it is where it is short', 'plain', 'Short,  with\ntwo spaces.', 'Short,  with\ntwo spaces.'],
    ['cut between two words', 'plain', WORDS, 'word '.repeat(24).trim()],
    ['cut before a word that does not fit', 'plain', `${'a'.repeat(100)} ${'b'.repeat(50)}`, 'a'.repeat(100)],
    ['cut in a word that is too long alone', 'plain', 'c'.repeat(200), 'c'.repeat(120)],
    ['cut by code points, not by halves of them', 'plain', '🚀'.repeat(121), '🚀'.repeat(120)],
    ['with every sign where there is no markup', 'plain', 'a <b> &amp; [pause:1s]', 'a <b> &amp; [pause:1s]'],
    [
      'without the tags of SSML',
      'ssml',
      '<speak><p>One <emphasis>two</emphasis>.</p><p>A&amp;B<break time="1s"/>end</p></speak>',
      'One two. A&B end',
    ],
    ['without pauses', 'pauses', 'One.[pause:1.5s]Two.', 'One. Two.'],
  ])('has an excerpt %s', async (_how, slug, text, textExcerpt) => {
    const job = await shown(await submitted({ slug, inputs: { text } }))
    expect(job).toMatchObject({ textExcerpt, characters: [...text].length })
  })

  test('is read for no list that does not select it, and once for one that does', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => submitted({ inputs: { text: WORDS } })))
    await allFinished(service.runtime, ids)
    const texts = async (fields: string) => {
      const query = vi.spyOn(pg.Client.prototype, 'query')
      try {
        await read(
          service.url,
          caller.key,
          `{ jobs(first: 3) { edges { node { id tags ... on VoiceJob { ${fields} } } } } }`,
        )
        const sent = query.mock.calls.map(([one]: unknown[]) =>
          typeof one === 'string' ? one : (one as { text: string }).text,
        )
        return sent.filter((text) => /j\.inputs/.test(text)).length
      } finally {
        query.mockRestore()
      }
    }
    expect([await texts('voice language audio { url }'), await texts('characters textExcerpt')]).toEqual([0, 1])
  })

  test('is null of a job that has none', async () => {
    const id = await submitted({})
    await service.runtime.db.pool.query(`update job set inputs = '{}' where id = $1`, [id])
    expect(await shown(id)).toMatchObject({ textExcerpt: null, characters: null })
  })
})

describe('what a job says', () => {
  /** Selected in several queries: one may not ask for so much. */
  const FIELDS = [
    '... on VoiceJob { captions chapters { title } sentences { text } words { text } timing }',
    `... on VoiceJob { textExcerpt submittedBy { name } outputs audioUrl wav: audioUrl(format: WAV) liveUrl
      result { outputs } audio { peaks(count: 2) } }
    ... on CompanionMediaTagJob { mediaUrl result { mediaUrl } }`,
  ]
  const WITHHELD = /for callers of other accounts/i
  let ids: string[]
  let other: string
  let own: string
  beforeAll(async () => {
    const { db } = service.runtime
    const spoken = await submitted({ inputs: { text: 'A heading\n\nBetween us.' } })
    await allFinished(service.runtime, [spoken])
    const media = { mediaUrl: 'https://media.example.com/a.png', mediaKind: 'image' }
    ids = [spoken, await insertJob(db, caller.account, { type: 'companion_media_tag', ...media })]
    await db.pool.query(CHARGE, [caller.account, ids[1]])
    other = (await service.createKey(await service.createAccount(), ['operator', 'job:read'])).apiKey
    own = (await service.createKey(caller.account, ['operator', 'job:read'])).apiKey
  })

  test.each([
    ['alone', '{ one: node(id: $speech) { ...Content } two: node(id: $media) { ...Content } }'],
    ['together', '{ nodes(ids: [$speech, $media]) { ...Content } }'],
    ['in lists of all accounts', '{ allJobs(first: 2, filter: { ids: [$speech, $media] }) { nodes { ...Content } } }'],
    [
      'in lists of one account',
      '{ allJobs(account: $account, first: 2, filter: { ids: [$speech, $media] }) { nodes { ...Content } } }',
    ],
    ['in ledgers', '{ creditEntries(account: $account, first: 2) { nodes { job { ...Content } } } }'],
  ])('is shown to operators of its own account alone: %s', async (_where, selection) => {
    const variables = '$speech: ID!, $media: ID!, $account: ID!'
    const named = variables.split(', ').filter((variable) => selection.includes(variable.split(':')[0]!))
    const [speech, media] = ids
    const shown = async (key: string) => {
      const answers = FIELDS.map((fields) => {
        const query = `query (${named.join(', ')}) ${selection} fragment Content on Job { ${fields} }`
        return read<object>(service.url, key, query, { speech, media, account: caller.account })
      })
      return (await Promise.all(answers)).flatMap((answer) => leavesOf(answer))
    }
    const [theirs, ours] = [await shown(other), await shown(own)]
    expect(theirs.filter(([, value]) => value !== null)).toEqual([])
    expect(ours.filter(([, value]) => value === null)).toEqual([])
    expect(namesIn(theirs)).toEqual([...withheld()].sort())
  })

  test('stands in files that operators of other accounts list, and do not fetch', async () => {
    const files = (more: string) => `{ node(id: "${ids[0]}") { ... on VoiceJob { audio { output ${more} } } } }`
    expect(await read(service.url, other, files(''))).toEqual({ node: { audio: { output: 'audio' } } })
    const refused = await ask(service.url, other, files('url'))
    expect([refused.data, codeOf(refused)]).toEqual([{ node: { audio: null } }, 'FORBIDDEN'])
    expect(await read(service.url, own, files('url'))).toMatchObject({
      node: { audio: { url: expect.stringMatching(/^http/) } },
    })
  })

  /** The fields that the schema withholds. */
  function withheld(): Set<string> {
    const types = Object.values(buildSchema(readFileSync('schema.graphql', 'utf8')).getTypeMap())
    const fields = types.flatMap((type) => (isObjectType(type) ? Object.values(type.getFields()) : []))
    return new Set(fields.filter(({ description }) => WITHHELD.test(description ?? '')).map(({ name }) => name))
  }
})

type Leaf = readonly [path: string, value: unknown]

const leavesOf = (value: unknown, path = ''): Leaf[] =>
  typeof value === 'object' && value !== null && !(Array.isArray(value) && value.length === 0)
    ? Object.entries(value).flatMap(([name, part]) => leavesOf(part, `${path}/${name}`))
    : [[path, value]]

/** Names of the fields at these paths. */
const namesIn = (leaves: readonly Leaf[]): string[] =>
  [...new Set(leaves.map(([path]) => path.split('/').at(-1)!.replace(/^wav$/, 'audioUrl')))].sort()

test('the audio of a job is its output of that name, null until it is completed', async () => {
  const id = await submitted({})
  await allFinished(service.runtime, [id])
  const { audio } = await shown(id)
  expect(audio).toEqual({ output: 'audio', url: expect.stringMatching(/^http/) })
  const sound = await call(audio!.url)
  expect([sound.status, sound.headers['content-type']]).toEqual([200, 'audio/wav'])
  await service.runtime.db.pool.query(`update job set status = 'processing', completed_at = null where id = $1`, [id])
  expect((await shown(id)).audio).toBeNull()
})
