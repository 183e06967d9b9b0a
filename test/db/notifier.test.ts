import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import type { Bus } from '../../src/db/notifier.ts'
import { openBus } from '../../src/db/postgres-notifier.ts'
import { openLog } from '../../src/values/log.ts'

const log = openLog('silent')
let open: Bus[]
let admin: Client

const connect = async (ensure?: () => Promise<void>) => {
  const bus = await openBus(inject('databaseUrl'), log, ensure === undefined ? {} : { ensure })
  open.push(bus)
  return bus
}
/** Other files' services share the server, each with a database of its own. */
const OURS = `from pg_stat_activity where application_name = 'sonant bus' and datname = current_database()`
const terminateAll = async () => (await admin.query(`select pg_terminate_backend(pid) ${OURS}`)).rowCount
/** PostgreSQL ends a connection a moment after its client has. */
const noneLeft = async () => (await admin.query(`select 1 ${OURS}`)).rowCount === 0

const warnings: string[] = []
process.on('warning', ({ message }) => warnings.push(message))

describe('bus', () => {
  beforeEach(async () => {
    open = []
    admin = new Client({ connectionString: inject('databaseUrl') })
    await admin.connect()
  })
  afterEach(async () => {
    await Promise.all(open.map((bus) => bus.close()))
    await vi.waitUntil(noneLeft)
    await admin.end()
  })

  test('a message reaches every listener of its channel, in other processes and in this one, and nobody else', async () => {
    const [one, two] = [await connect(), await connect()]
    const heard: string[] = []
    await one.listen('Jobs "of" ALL', (payload) => heard.push(`one ${payload}`))
    await two.listen('Jobs "of" ALL', (payload) => heard.push(`two ${payload}`))
    await two.listen('other', (payload) => heard.push(`other ${payload}`))
    await one.notify('Jobs "of" ALL', 'job_1')
    await vi.waitUntil(() => heard.length === 2)
    expect(heard.sort()).toEqual(['one job_1', 'two job_1'])
  })

  test('a message from SQL is heard, and one without a payload is empty text', async () => {
    const bus = await connect()
    const heard: string[] = []
    await bus.listen('sql', (payload) => heard.push(payload))
    await admin.query(`select pg_notify('sql', 'x')`)
    await admin.query('notify sql')
    await vi.waitUntil(() => heard.length === 2)
    expect(heard).toEqual(['x', ''])
  })

  test('the last to leave a channel ends its LISTEN, and a newcomer starts it again', async () => {
    const bus = await connect()
    const heard: string[] = []
    const leaveFirst = await bus.listen('shared', () => heard.push('first'))
    const leaveSecond = await bus.listen('shared', () => heard.push('second'))
    leaveFirst()
    await bus.notify('shared')
    await vi.waitUntil(() => heard.length === 1)
    leaveSecond()
    leaveSecond()
    await bus.listen('shared', () => heard.push('third'))
    await bus.notify('shared')
    await vi.waitUntil(() => heard.length === 2)
    expect(heard).toEqual(['second', 'third'])
  })

  test('a lost connection is replaced, listeners resync and hear again', async () => {
    const ensure = vi.fn(async () => undefined)
    const bus = await connect(ensure)
    const heard: string[] = []
    const resync = vi.fn()
    await bus.listen('a', (payload) => heard.push(payload), resync)
    expect(await terminateAll()).toBe(1)
    await vi.waitUntil(() => resync.mock.calls.length === 1)
    expect(ensure).toHaveBeenCalled()
    await bus.notify('a', 'after')
    await vi.waitUntil(() => heard.length === 1)
  })

  test('messages and listeners that come while the connection is down are served when it is back', async () => {
    let up = true
    const bus = await connect(async () => {
      if (!up) throw new Error('down')
    })
    const heard: string[] = []
    const resync = vi.fn()
    await bus.listen('early', (payload) => heard.push(payload), resync)
    up = false
    await terminateAll()
    await vi.waitUntil(noneLeft)
    const late = bus.listen('late', (payload) => heard.push(payload))
    const sent = bus.notify('early', 'waited')
    up = true
    await Promise.all([late, sent])
    await bus.notify('late', 'new')
    await vi.waitUntil(() => heard.length === 2)
    expect(heard).toEqual(['waited', 'new'])
  })

  test('a handler that throws harms neither the others nor the process', async () => {
    const bus = await connect()
    const heard: string[] = []
    await bus.listen('b', () => {
      throw new Error('broken handler')
    })
    await bus.listen('b', (payload) => heard.push(payload))
    await bus.notify('b', '1')
    await bus.notify('b', '2')
    await vi.waitUntil(() => heard.length === 2)
  })

  test('equal messages that wait together are sent once', async () => {
    const bus = await connect()
    const heard: string[] = []
    await bus.listen('c', (payload) => heard.push(payload))
    await Promise.all(Array.from({ length: 500 }, () => bus.notify('c', 'same')))
    await bus.notify('c', 'end')
    await vi.waitUntil(() => heard.includes('end'))
    expect(heard).toEqual(['same', 'same', 'end'])
  })

  test('what PostgreSQL would cut or refuse is refused at once', async () => {
    const bus = await connect()
    await expect(bus.notify('x', 'é'.repeat(4000))).rejects.toThrow(RangeError)
    await expect(bus.listen('x'.repeat(64), () => undefined)).rejects.toThrow(RangeError)
    await expect(bus.notify('x', 'x'.repeat(7999))).resolves.toBeUndefined()
  })

  test('a message sent just before closing still goes out', async () => {
    const [one, two] = [await connect(), await connect()]
    const heard: string[] = []
    await two.listen('d', (payload) => heard.push(payload))
    void one.notify('d', 'last words')
    void one.notify('d', 'really')
    await one.close()
    await vi.waitUntil(() => heard.length === 2)
  })

  test('its connection is asked one thing after the other', async () => {
    const bus = await connect()
    const heard: string[] = []
    const listening = ['e', 'f', 'g'].map((channel) => bus.listen(channel, (payload) => heard.push(payload)))
    const sent = Array.from({ length: 5 }, (_nothing, number) => bus.notify('h', String(number)))
    const [unlisten] = await Promise.all([...listening, ...sent])
    const more = bus.listen('h', () => undefined)
    if (typeof unlisten === 'function') unlisten()
    await Promise.all([more, bus.notify('f', 'heard')])
    await vi.waitUntil(() => heard.length === 1)
    // pg tells once in a process of a query that was sent while another one ran.
    expect(warnings).toEqual([])
  })
})
