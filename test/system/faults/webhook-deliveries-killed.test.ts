import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '../../setup/audit/audit.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import { endProcesses, type Process, startRole } from '../../setup/processes/processes.ts'
import { cutShares, startFaultProxy } from '../../setup/servers/fault-proxy.ts'
import { type Receiver, signedBytes } from '../../setup/servers/receiver.ts'
import type { TestRuntime } from '../../setup/service/runtime.ts'
import {
  createOwner,
  type Owner,
  openWebhookFixture,
  WEBHOOK_ENV,
  type WebhookFixture,
} from '../../setup/service/webhooks.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const DELIVERIES = 100
/** Nothing comes between the third attempt and the fourth by chance. */
const RETRY_DELAYS = '0.1,0.2,6'

let fixture: WebhookFixture
let receiver: Receiver
let service: TestRuntime

beforeAll(async () => {
  fixture = await openWebhookFixture()
  ;({ receiver, service } = fixture)
})
afterAll(async () => {
  await endProcesses()
  await fixture?.close()
})

const sql = (text: string, values: unknown[] = []) => service.runtime.db.pool.query(text, values)

const startWorker = (databaseUrl: string): Promise<Process> =>
  startRole(['work'], {
    ...WEBHOOK_ENV,
    WEBHOOK_RETRY_DELAYS: RETRY_DELAYS,
    NODE_EXTRA_CA_CERTS: fixture.certificates.caFile,
    DATABASE_URL: databaseUrl,
    DATA_DIR: service.dataDir,
    LOG_LEVEL: 'error',
  })

describe('a worker that is killed', { timeout: 180_000 }, () => {
  const databaseUrl = () => service.runtime.settings.databaseUrl ?? ''

  test('before, during, between, after and in the last of its attempts: the rest is byte-identical, nothing is lost or stuck', async () => {
    const worker = await startWorker(databaseUrl())
    const door = await openDoor(receiver.port)
    const [before, during, between, after, last] = await Promise.all(
      [`https://127.0.0.1:${door.port}/before`, ...['/during', '/between', '/after', '/last'].map(at)].map((url) =>
        createOwner(service, url),
      ),
    )
    receiver.on('/last', (response, _request, nth) => nth < 4 && response.writeHead(503).end())
    const ids = [await last!.sendTest()]
    await receiver.waitFor('/last', 4, TIMEOUT_MS)

    receiver.on('/during', (response, _request, nth) => nth > 1 && response.writeHead(204).end())
    receiver.on('/between', (response, _request, nth) => response.writeHead(nth < 4 ? 503 : 204).end())
    const record = await service.runtime.db.pool.connect()
    receiver.on('/after', (response, request, nth) => {
      if (nth > 1) return response.writeHead(204).end()
      // The answer comes, and is never written down.
      const id = request.headers['webhook-id']
      return record.query(BEGIN_HELD).then(async () => {
        await record.query('select from webhook_delivery where id = $1 for update', [id])
        response.writeHead(204).end()
      })
    })
    ids.push(...(await Promise.all([before, during, between, after].map((owner) => owner!.sendTest()))))
    const isRefused = async () =>
      (await attemptsOf(between!, ids[3]!)).filter((one) => one === 'status_503').length === 3
    await Promise.all([
      until(() => door.held() > 0, TIMEOUT_MS, 'the stalled handshake'),
      receiver.waitFor('/during'),
      receiver.waitFor('/after'),
      until(isRefused, TIMEOUT_MS, 'the record of three refusals'),
      until(isWaiting, TIMEOUT_MS, 'the record of the answer'),
    ])
    await worker.stop('SIGKILL')
    await sql(`select pg_terminate_backend(pid) from (${WAITING}) w`)
    await record.query('rollback')
    record.release()
    expect(await attemptsOf(last!, ids[0]!)).toEqual(['status_503', 'status_503', 'status_503', null])

    door.open()
    const heir = await startWorker(databaseUrl())
    await until(async () => (await pending()) === 0, TIMEOUT_MS, 'all webhooks to end')
    await heir.stop()
    door.close()
    const refused = Array(3).fill('status_503')
    const owners = [last, before, during, between, after].map((owner) => owner!)
    expect(await Promise.all(owners.map((owner, nth) => attemptsOf(owner, ids[nth]!)))).toEqual([
      [...refused, 'interrupted'],
      ['interrupted', 'succeeded'],
      ['interrupted', 'succeeded'],
      [...refused, 'succeeded'],
      ['interrupted', 'succeeded'],
    ])
    expect(await last!.delivery(ids[0]!)).toMatchObject({ state: 'failed', outcome: 'interrupted' })
    const came = Object.entries({ '/before': 1, '/during': 2, '/between': 4, '/after': 2, '/last': 4 })
    for (const [path, times] of came) {
      expect([path, receiver.received(path).length]).toEqual([path, times])
      expect([path, new Set(receiver.received(path).map(signedBytes)).size]).toEqual([path, 1])
    }
    expect(await audit(service.runtime, [])).toEqual([])
  })

  test('connections to the database are cut while webhooks go out: each comes, and none is lost', async () => {
    const proxy = await startFaultProxy(databaseUrl())
    const owner = await createOwner(service, at('/cut'))
    const refused = new Set<unknown>()
    receiver.on('/cut', (response, request, nth) => {
      const refuse = nth % 5 === 0 && !refused.has(request.headers['webhook-id'])
      if (refuse) refused.add(request.headers['webhook-id'])
      response.writeHead(refuse ? 503 : 204).end()
    })
    const worker = await startWorker(proxy.url)
    proxy.rule = cutShares({ commit: 0.2, other: 0.05 })
    const ids: string[] = []
    // A worker that writes many at once has few statements to cut.
    while (ids.length < DELIVERIES || (proxy.cuts.now <= 3 && ids.length < 10 * DELIVERIES)) {
      ids.push(...(await Promise.all(Array.from({ length: 10 }, () => owner.sendTest()))))
    }
    await receiver.waitFor('/cut', ids.length, TIMEOUT_MS)
    proxy.rule = () => null
    await until(async () => (await pending()) === 0, TIMEOUT_MS, 'all webhooks to end')
    expect(proxy.cuts.now).toBeGreaterThan(3)
    expect(worker.runs()).toBe(true)
    expect(worker.stderr()).not.toMatch(/Error:|Unhandled/)
    await worker.stop()
    await proxy.close()
    const sent = Map.groupBy(receiver.received('/cut'), ({ headers }) => headers['webhook-id'])
    expect([...sent.keys()].toSorted()).toEqual(ids.toSorted())
    for (const requests of sent.values()) {
      expect(new Set(requests.map(signedBytes)).size).toBe(1)
      expect(requests.length).toBeLessThanOrEqual(4)
    }
    const { rows } = await sql(`select state, count(*)::int as n from webhook_delivery where id = any($1) group by 1`, [
      ids,
    ])
    expect(rows).toEqual([{ state: 'succeeded', n: ids.length }])
    expect(await audit(service.runtime, [])).toEqual([])
  })
})

const at = (path: string) => receiver.url + path
const WAITING = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
const isWaiting = async () => (await sql(WAITING)).rowCount! > 0
const pending = async () => (await sql(`select from webhook_delivery where state = 'pending'`)).rowCount
const attemptsOf = async (owner: Owner, id: string) => (await owner.delivery(id)).attempts.map(({ outcome }) => outcome)

/** Connections to a receiver that hang in front of it until it is opened. */
async function openDoor(port: number) {
  const held: Socket[] = []
  let isOpen = false
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined)
    if (!isOpen) return void held.push(socket)
    const onward = createConnection(port, '127.0.0.1').on('error', () => undefined)
    return void socket.pipe(onward).pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    held: () => held.length,
    open: () => {
      isOpen = true
    },
    close: () => {
      for (const socket of held) socket.destroy()
      server.close()
    },
  }
}
