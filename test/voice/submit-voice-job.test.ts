import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Door, endpointFile, post, SPEAK, startDoor } from '../setup/service/start-rest.ts'

let door: Door
let key: string
let send: Door['send']
let firstVoice: Door['firstVoice']
beforeAll(async () => {
  door = await startDoor()
  key = await door.createKey()
  ;({ send, firstVoice } = door)
})
afterAll(() => door.close())

const GOOD = { inputs: { text: 'Hello.', voice: 'aria' } }
const HEADERS = { 'content-type': 'application/json' }

const countJobs = async () =>
  (await door.runtime.db.pool.query('select count(*)::int as n from job')).rows[0].n as number

describe('submitVoiceJob', () => {
  it('answers 202 with the job and where to poll it', async () => {
    const voice = firstVoice()
    const { response, status, body } = await send(post(key, { inputs: { text: 'Hello.', voice } }))
    expect(status).toBe(202)
    expect(body).toEqual({ job_id: expect.stringMatching(/^job_[0-7][0-9a-hjkmnp-tv-z]{25}$/), status: 'queued' })
    expect(response.headers.get('location')).toBe(`/api/v1/voice/jobs/${body.job_id}`)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.has('idempotency-replayed')).toBe(false)
  })

  it('answers the same Idempotency-Key with the same job, and another body with 422', async () => {
    const voice = firstVoice()
    const again = { 'idempotency-key': 'order 1' }
    const first = await send(post(key, { inputs: { text: 'One.', voice } }, again))
    const second = await send(post(key, { inputs: { text: 'One.', voice } }, again))
    expect(second.body).toEqual(first.body)
    expect(second.response.headers.get('idempotency-replayed')).toBe('true')
    const other = await send(post(key, { inputs: { text: 'Two.', voice } }, again))
    expect([other.status, other.body.error_code]).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
  })

  it('takes application/json in any spelling of UTF-8, and any query', async () => {
    const voice = firstVoice()
    for (const type of [
      'application/json',
      'Application/JSON; charset=UTF-8',
      'application/json;charset="utf-8"; v=1',
    ]) {
      const { status } = await send(
        post(key, { inputs: { text: 'Hi.', voice } }, { 'content-type': type }),
        `${SPEAK}?x=1`,
      )
      expect(status, type).toBe(202)
    }
  })

  it('refuses an account without credits after everything else', async () => {
    const poor = await door.createKey({ credits: 0n })
    const voice = firstVoice()
    expect((await send(post(poor, { inputs: { text: '', voice } }))).status).toBe(400)
    const { status, body } = await send(post(poor, { inputs: { text: 'Hi.', voice } }))
    expect([status, body.error_code]).toEqual([402, 'PAYMENT_REQUIRED'])
  })

  it.each<[string, string, unknown]>([
    ['an unknown voice', '/inputs/voice', { inputs: { text: 'Hi.', voice: 'nobody' } }],
    ['an unknown input', '/inputs/x', { inputs: { ...GOOD.inputs, x: 1 } }],
    ['an unknown key', '/x', { ...GOOD, x: 1 }],
    ['no inputs', '/inputs', {}],
    ['inputs that are a list', '/inputs', { inputs: [] }],
    ['a webhook that is a number', '/webhook_url', { ...GOOD, webhook_url: 1 }],
    ['a webhook that is null', '/webhook_url', { ...GOOD, webhook_url: null }],
    ['NUL in a text', '/inputs/text', '{"inputs":{"text":"a\\u0000","voice":"aria"}}'],
    ['a lone surrogate', '/inputs/text', '{"inputs":{"text":"\\ud800","voice":"aria"}}'],
    ['a lone surrogate in a key', '/inputs', '{"inputs":{"\\ud800":"a","text":"a","voice":"aria"}}'],
    ['__proto__', '/inputs/__proto__', '{"inputs":{"__proto__":{"x":1},"text":"a","voice":"aria"}}'],
    ['__proto__ in disguise', '/__proto__', '{"\\u005f_proto__":1,"inputs":{}}'],
    ['constructor.prototype', '/constructor/prototype', '{"constructor":{"prototype":{}},"inputs":{}}'],
  ])('refuses %s, says where, and stores nothing', async (_title, path, given) => {
    const before = await countJobs()
    const { status, body } = await send(post(key, given))
    expect([status, body.error_code]).toEqual([400, 'INVALID_REQUEST'])
    expect(body.details?.map((detail) => detail.path)).toContain(path)
    expect(await countJobs()).toBe(before)
  })

  it.each<[string, BodyInit]>([
    ['nothing', ''],
    ['half of a document', '{"inputs":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a string', '"text"'],
    ['invalid UTF-8', Buffer.from([...Buffer.from('{"inputs":{"text":"'), 0xc3, 0x28, ...Buffer.from('"}}')])],
    ['a byte-order mark', `\ufeff${JSON.stringify(GOOD)}`],
    ['100,000 levels of arrays', `{"inputs":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['70 levels of objects', `{"inputs":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}`],
  ])('refuses a body that is %s', async (_title, body) => {
    const refusal = await send({ ...post(key, ''), body })
    expect([refusal.status, refusal.body.error_code]).toEqual([400, 'INVALID_REQUEST'])
  })

  it.each<[string, Record<string, string>]>([
    ['text/plain', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }],
    ['a broken content type', { 'content-type': 'application/json2' }],
    ['gzip', { ...HEADERS, 'content-encoding': 'gzip' }],
  ])('refuses %s with 415', async (_title, headers) => {
    const { status, body } = await send(post(key, GOOD, headers))
    expect([status, body.error_code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
  })

  it.each(['', 'a'.repeat(256), 'ä'])('refuses the Idempotency-Key "%s"', async (idempotencyKey) => {
    const { status, body } = await send(post(key, GOOD, { 'idempotency-key': idempotencyKey }))
    expect([status, body.details?.[0]?.path]).toEqual([400, 'Idempotency-Key'])
  })

  it('refuses a body over 1 MiB with 413, known and unknown length alike', async () => {
    const large = JSON.stringify({ inputs: { text: 'a'.repeat(2_000_000), voice: 'aria' } })
    const known = await send(post(key, large))
    const stream = new Blob([large]).stream()
    const chunked = await send({ ...post(key, ''), body: stream, duplex: 'half' } as RequestInit)
    for (const { status, body } of [known, chunked])
      expect([status, body.error_code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  it.each([
    ['a number out of range', '{"inputs":{"text":"Hi.","voice":"aria","speed":1e999}}', '/inputs/speed'],
    ['one that is negative', '{"inputs":{"text":"Hi.","voice":"aria","a":{"b":[-1e999]}}}', '/inputs/a/b/0'],
    ['digits that were lost', '{"inputs":{"text":"Hi.","voice":"aria","seed":9007199254740993}}', '/inputs/seed'],
  ])('refuses %s with 400 and its place, and stores nothing', async (_title, sent, path) => {
    const before = await countJobs()
    const { status, body } = await send(post(key, sent))
    expect([status, body.details]).toEqual([400, [{ path, message: 'is a number out of range' }]])
    expect(await countJobs()).toBe(before)
  })

  it('takes the largest whole number that keeps its digits, where the schema has a place for it', async () => {
    const sent = '{"inputs":{"text":"Hi.","voice":"aria","seed":9007199254740991}}'
    const { body } = await send(post(key, sent))
    expect(body.details).toEqual([{ path: '/inputs/seed', message: 'unknown key' }])
  })

  it.each(['\u200b', '\ufeff \u2060', '\u00ad\u200d\u200e', '\u3164 \u2003', '\u{e0020}'])(
    'refuses the invisible text %j as blank',
    async (text) => {
      const { status, body } = await send(post(key, { inputs: { text, voice: firstVoice() } }))
      expect([status, body.details?.[0]?.path]).toEqual([400, '/inputs/text'])
    },
  )

  it('lists at most 20 violations, each cut short', async () => {
    const names = Array.from({ length: 100 }, (_, n) => `${n}-${'😀x'.repeat(500)}`)
    const extra = Object.fromEntries(names.map((name) => [name, 1]))
    const sides = [{ inputs: { text: 'Hi.', voice: firstVoice(), ...extra } }, { ...GOOD, ...extra }]
    for (const side of sides) {
      const { status, body } = await send(post(key, side))
      expect(status).toBe(400)
      expect(body.details).toHaveLength(20)
      for (const { path } of body.details ?? []) expect(path.length <= 200 && path.isWellFormed()).toBe(true)
    }
  })

  it.each([
    ['an empty text', { text: '' }],
    ['a blank text', { text: ' \n' }],
    ['a text over 10,000 characters', { text: 'a'.repeat(10_001) }],
    ['a text over 10,000 characters of four bytes', { text: '😀'.repeat(10_001) }],
  ])('refuses %s at every endpoint, whatever its schema lets pass', async (_title, inputs) => {
    const properties = { text: { type: 'string' }, voice: { type: 'string' } }
    const lax = { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties }
    await door.apply(endpointFile('lax', { inputs: lax }))
    const { status, body } = await send(post(key, { inputs: { voice: 'aria', ...inputs } }), '/api/v1/voice/lax')
    expect([status, body.details?.length, body.details?.[0]?.path]).toEqual([400, 1, '/inputs/text'])
  })

  it('takes 10,000 characters of four bytes', async () => {
    const rich = await door.createKey({ credits: 100_000n })
    const { status } = await send(post(rich, { inputs: { text: '𝐀'.repeat(10_000), voice: firstVoice() } }))
    expect(status).toBe(202)
  })

  describe('what the engine of the endpoint cannot speak', () => {
    it.each([
      ['Arabic, under auto', { text: 'مرحبا بالعالم' }, /Arabic letters/],
      ['Hebrew', { text: 'שלום עולם', language: 'auto' }, /Hebrew letters/],
      ['Thai', { text: 'สวัสดีชาวโลก' }, /Thai letters/],
      ['Chinese, asked for in English', { text: '你好，世界', language: 'English' }, /Chinese characters/],
      ['emoji alone', { text: '🎉👍❤️' }, /must hold a letter/],
      ['punctuation alone', { text: '... ?!' }, /must hold a letter/],
      ['symbols alone', { text: '★ ♫ ✓' }, /must hold a letter/],
    ])('is refused with its cause, and nothing is stored: %s', async (_title, inputs, cause) => {
      const before = await countJobs()
      const { status, body } = await send(post(key, { inputs: { ...inputs, voice: firstVoice() } }))
      const details = [{ path: '/inputs/text', message: expect.stringMatching(cause) }]
      expect([status, body.error_code, body.details]).toEqual([400, 'INVALID_REQUEST', details])
      expect(await countJobs()).toBe(before)
    })

    it('is taken where the text is mostly speakable, and where another engine speaks', async () => {
      for (const text of ['Well done 🎉🎉', 'The word مرحبا means hello.', 'नमस्ते', '今日は天気がいい']) {
        expect((await send(post(key, { inputs: { text, voice: firstVoice() } }))).status, text).toBe(202)
      }
      const engine = { kind: 'openai-speech', base_url: 'http://127.0.0.1:9', model: 'stand-in' }
      await door.apply(endpointFile('elsewhere', { engine }))
      const arabic = post(key, { inputs: { text: 'مرحبا', voice: 'aria' } })
      expect((await send(arabic, '/api/v1/voice/elsewhere')).status).toBe(202)
    })
  })
})

describe('a text that is longer than usual', () => {
  const file = (maxLength?: number) => {
    const properties = { text: { type: 'string', ...(maxLength && { maxLength }) }, voice: { type: 'string' } }
    const inputs = { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties }
    return endpointFile('book', { inputs, credits_per_character: 0 })
  }
  let long: Door
  beforeAll(async () => {
    long = await startDoor({ MAX_TEXT_CHARACTERS: '400000' })
  })
  afterAll(() => long.close())

  it('is taken up to the limit of its endpoint, which is the one that is published', async () => {
    await long.apply(file(300_000))
    const path = '/api/v1/voice/book'
    const own = await long.createKey()
    const statusOf = async (text: string) =>
      (await long.send(post(own, { inputs: { text, voice: 'aria' } }), path)).status
    expect(await statusOf('a'.repeat(300_000))).toBe(202)
    expect(await statusOf('a'.repeat(300_001))).toBe(400)
    // Over 1 MiB, as it is escaped by clients that send nothing but ASCII.
    const escaped = '\\u044f'.repeat(300_000)
    const body = `{"inputs": {"text": "${escaped}", "voice": "aria"}}`
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${own}` }
    expect((await long.send({ method: 'POST', headers, body }, path)).status).toBe(202)
    const { schema } = (await (await fetch(`${long.url}/api/v1/public/voice/book`)).json()) as PublishedEntry
    expect(schema.properties.inputs.properties.text.maxLength).toBe(300_000)
    await expect(long.apply(file(400_001))).rejects.toThrow(/MAX_TEXT_CHARACTERS/)
  })

  it('is refused as what is published where its endpoint names no limit', async () => {
    await door.apply(file())
    const { schema } = (await (await fetch(`${door.url}/api/v1/public/voice/book`)).json()) as PublishedEntry
    expect(schema.properties.inputs.properties.text.maxLength).toBe(10_000)
    const text = 'a'.repeat(10_001)
    expect((await send(post(key, { inputs: { text, voice: 'aria' } }), '/api/v1/voice/book')).status).toBe(400)
  })
})

interface PublishedEntry {
  readonly schema: {
    readonly properties: { readonly inputs: { readonly properties: { readonly text: { readonly maxLength: number } } } }
  }
}
