import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { call, freePorts } from '../../setup/http.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { submitText } from '../../setup/jobs/voice-jobs.ts'
import { cleanUp, type Service, sonantOn, startService } from '../../setup/processes/process.ts'
import { haproxyProgram, startCellsProxy } from '../../setup/servers/haproxy.ts'
import { openSocketClient } from '../../setup/service/subscriber.ts'
import { talk } from '../../setup/service/talker.ts'

const TEXT = 'Spoken in a cell of its own.'
const UPDATES = 'subscription { jobsUpdated { id status } }'
const ROUNDS = 40

interface Cell {
  readonly letter: 'a' | 'b'
  readonly service: Service
  readonly account: string
  readonly key: string
  /** From before CELL was set. */
  readonly oldKey: string
}

if (haproxyProgram === undefined) console.info('HAProxy is not installed: cells behind it are not tested here')

describe.skipIf(haproxyProgram === undefined)('two cells behind HAProxy', { timeout: 180_000 }, () => {
  let front = ''
  let cells: Cell[] = []
  let close = async () => {}
  beforeAll(async () => {
    const [port = 0] = await freePorts(1)
    front = `http://127.0.0.1:${port}`
    const [a, b] = await Promise.all([startCell('a'), startCell('b')])
    cells = [a, b]
    close = await startCellsProxy(port, { a: a.service.url, b: b.service.url })
  }, 180_000)
  afterAll(async () => {
    await close()
    await cleanUp()
  })

  async function startCell(letter: 'a' | 'b'): Promise<Cell> {
    const service = await startService({ env: { CELL: letter, PUBLIC_URL: front, RATE_LIMIT_PER_MINUTE: '0' } })
    const { account_id: account } = (await call(`${service.url}/api/v1/account`, { key: service.key })).json<Account>()
    const before = { ...service.env, CELL: undefined }
    const { api_key: oldKey } = await sonantOn<{ api_key: string }>(
      before,
      ...['keys', 'create', '--account', account, '--name', 'old'],
    )
    return { letter, service, account, key: service.key, oldKey }
  }

  type Account = { account_id: string }
  const accountOf = async (key: string, path = '/api/v1/account', headers = {}) =>
    (await call(front + path, { key, headers })).json<Account>().account_id
  const post = (path: string, key: string, body: object) => call(front + path, { method: 'POST', key, body })

  test('each key is answered by its own cell through every door, and each signed URL without a key', async () => {
    for (const { letter, account, key } of cells) {
      expect(key).toMatch(new RegExp(`^snt_${letter}_`))
      expect(await accountOf(key)).toBe(account)
      const jobId = await submitText(front, key, 'tts', TEXT, 'aria')
      expect(jobId).toMatch(new RegExp(`^job_.{14}ce110${letter}`))
      const job = await finishedJob(front, key, jobId)
      const audio = job.outputs!.audio
      expect([job.status, new URL(audio).origin]).toEqual(['completed', front])
      const heard = await call(audio)
      expect([heard.status, heard.headers['content-type']]).toEqual([200, 'audio/wav'])
      const asked = await post('/graphql', key, { query: '{ account { id } }' })
      expect(asked.json()).toEqual({ data: { account: { id: account } } })
      const spoken = await post('/v1/audio/speech', key, { input: TEXT, voice: 'aria' })
      expect([spoken.status, spoken.headers['x-sonant-job-id']]).toEqual([
        200,
        expect.stringContaining(`ce110${letter}`),
      ])
      const headers = { 'xi-api-key': key }
      const body = { text: TEXT }
      const eleven = await call(`${front}/v1/text-to-speech/aria`, { method: 'POST', headers, body })
      expect([eleven.status, eleven.headers['content-type']]).toEqual([200, 'audio/mpeg'])
    }
  })

  test('WebSockets go by a key in a header or by the name of the cell in the URL, with the key in a message', async () => {
    for (const { letter, key } of cells) {
      const talker = await talk(front, 'aria/stream-input', key)
      talker.send({ text: TEXT }, { text: '' })
      await talker.seen('the end', (answers) => answers.some(({ isFinal }) => isFinal === true))
      expect(talker.audio().length).toBeGreaterThan(0)
      const browser = await talk(front, `aria/stream-input?cell=${letter}`, null)
      browser.send({ text: TEXT, xi_api_key: key }, { text: '' })
      await browser.seen('the end', (answers) => answers.some(({ isFinal }) => isFinal === true))
      expect(browser.audio().length).toBeGreaterThan(0)
      const [byHeader, byUrl] = [await greet('', key, key), await greet(`?cell=${letter}`, key)]
      expect([byHeader, byUrl]).toEqual(['connection_ack', 'connection_ack'])
    }
    const [, b] = cells
    // The default cell does not know this key.
    expect(await greet('', b!.key)).toBe(4403)
  })

  /** The first answer of GraphQL over a WebSocket, or the code that closes it. */
  const greet = (query: string, key: string, header?: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const headers = header === undefined ? {} : { authorization: `Bearer ${header}` }
      const address = `${front.replace('http', 'ws')}/graphql${query}`
      const socket = new WebSocket(address, 'graphql-transport-ws', { headers })
      const payload = { authorization: `Bearer ${key}` }
      socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload })))
      socket.on('message', (data) => {
        resolve((JSON.parse(String(data)) as { type: string }).type)
        socket.close()
      })
      socket.on('close', resolve).on('error', reject)
    })

  test('a key from before CELL was set goes by the id of a job, by the host, and else to the default cell', async () => {
    const [a, b] = cells as [Cell, Cell]
    expect(await accountOf(a.oldKey)).toBe(a.account)
    expect((await call(`${front}/api/v1/account`, { key: b.oldKey })).status).toBe(401)
    expect(await accountOf(b.oldKey, '/api/v1/account', { host: 'B.voice.example.org:443' })).toBe(b.account)
    const jobId = await submitText(front, b.key, 'tts', TEXT, 'aria')
    expect((await finishedJob(front, b.oldKey, jobId)).status).toBe('completed')
    expect((await call(`${front}/api/v1/voice/jobs/${jobId}`, { key: a.key })).status).toBe(404)
  })

  test('one cell is killed, and accounts of the other notice nothing', async () => {
    const [a, b] = cells as [Cell, Cell]
    const sockets = openSocketClient(front, a.key, { authorization: `Bearer ${a.key}` })
    const updates = sockets.subscribe<{ jobsUpdated: { id: string; status: string } }>(UPDATES)
    const before = await submitText(front, a.key, 'tts', TEXT, 'aria')
    await updates.waitFor(({ jobsUpdated }) => jobsUpdated.id === before)
    const killed = b.service.kill9()
    const answers = new Set<number>()
    for (let round = 0; round < ROUNDS; round++)
      for (const path of ['/api/v1/account', '/api/v1/jobs', '/v1/models'])
        answers.add((await call(front + path, { key: a.key })).status)
    await killed
    expect([...answers]).toEqual([200])
    const refused = await call(`${front}/api/v1/account`, { key: b.key })
    expect([refused.status, refused.json()]).toEqual([503, { error: 'Try again later.', error_code: 'UNAVAILABLE' }])
    expect(refused.headers['retry-after']).toBe('5')
    const after = await submitText(front, a.key, 'tts', TEXT, 'aria')
    await updates.waitFor(({ jobsUpdated }) => jobsUpdated.id === after && jobsUpdated.status === 'COMPLETED')
    expect([updates.errors, sockets.closes]).toEqual([[], []])
    await sockets.dispose()
  })
})
