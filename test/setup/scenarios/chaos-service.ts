import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { readSettings } from '../../../src/context/config.ts'
import { openRuntime, type Runtime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { type AtRest, measureAtRest, watchedEnv } from '../audit/at-rest.ts'
import { audit } from '../audit/audit.ts'
import { call, type Reply } from '../http.ts'
import { allFinished, applyEndpoint } from '../jobs/voice-jobs.ts'
import { type OwnDatabase, startOwnDatabase } from '../postgres/own-database.ts'
import { cleanUp, type Service, startService } from '../processes/process.ts'
import { testCertificates } from '../servers/certificates.ts'
import { type FaultProxy, startFaultProxy } from '../servers/fault-proxy.ts'
import { type Received, type Receiver, startReceiver } from '../servers/receiver.ts'
import { type SpeechServer, startSpeechServer } from '../servers/speech-server.ts'
import { WEBHOOK_ENV } from '../service/webhooks.ts'
import { until } from '../wait.ts'

const ENDING_MS = 90_000
export const RECEIVER_PATH = '/webhooks'
/** Requests that the speech server takes at once. */
export const MAX_IN_FLIGHT = 32
const SLUG = 'spoken'
const SECRET_TEXT = 'No process logs this'
const WARM_UP_MS = 2_000
/** Between two submissions: faults meet every stage of some hundred jobs as well as of some thousand. */
const PACE_MS = 20
const WATCHED = 'chaos'

export interface ChaosService {
  readonly database: OwnDatabase
  readonly proxy: FaultProxy
  readonly service: Service
  /** Past the proxy. */
  readonly auditor: Runtime
  readonly speech: SpeechServer
  readonly receiver: Receiver
  readonly received: () => readonly Received[]
  /** Submits a job, with a webhook unless `isDelivered` is false. */
  submit(text: string, headers?: Record<string, string>, isDelivered?: boolean): Promise<Reply>
  /** Submits one job after the other, at a steady pace, for so long; whatever is not accepted must be an honest refusal. Returns the ids of the accepted. */
  loadFor(milliseconds: number): Promise<string[]>
  /** Everything in the database ends, also what no client got a 202 for, and the audit finds nothing. */
  allIsWell(accepted: readonly string[]): Promise<void>
  /** It has the connections and the memory that it had before any fault. */
  isAtRestAgain(): Promise<void>
  close(): Promise<void>
}

/**
 * The service as one process on a database of its own behind a proxy that cuts connections, with a speech server and a receiver of webhooks.
 * @param variables more of its environment
 */
export async function startChaosService(variables: Readonly<Record<string, string>> = {}): Promise<ChaosService> {
  const certificates = testCertificates()
  const [receiver, speech, database] = await Promise.all([
    startReceiver(certificates.good),
    startSpeechServer(),
    startOwnDatabase(),
  ])
  const proxy = await startFaultProxy(database.url)
  const env = {
    ...WEBHOOK_ENV,
    ...watchedEnv(proxy.url, WATCHED),
    NODE_EXTRA_CA_CERTS: certificates.caFile,
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'warn',
    SHUTDOWN_SECONDS: '10',
    ...variables,
  }
  const service = await startService({ env, awaitKey: true })
  const { dataDir: DATA_DIR, key } = service
  const settings = readSettings({ DATABASE_URL: database.url, DATA_DIR, LOG_LEVEL: 'silent' })
  const auditor = await openRuntime(settings, openLog('silent'), { supervise: false })
  await applyEndpoint(auditor, SLUG, { base_url: speech.url, max_in_flight: MAX_IN_FLIGHT })
  const isKnown = async () => (await call(`${service.url}/api/v1/public/voice/${SLUG}`)).status === 200
  await until(isKnown, ENDING_MS, 'the endpoint to be known')
  const received = () => receiver.everReceived(RECEIVER_PATH)

  const submit = (text: string, headers: Record<string, string> = {}, isDelivered = true) => {
    const body = {
      inputs: { text: `${SECRET_TEXT}: ${text}`, voice: 'calm' },
      ...(isDelivered && { webhook_url: receiver.url + RECEIVER_PATH }),
    }
    return call(`${service.url}/api/v1/voice/${SLUG}`, { method: 'POST', key, headers, body }).catch((error: Error) => {
      throw new Error(`${error.message}; the service said: ${service.stderr()}`)
    })
  }
  const fixture = {
    database,
    proxy,
    service,
    auditor,
    speech,
    receiver,
    received,
    submit,
    loadFor: async (milliseconds: number) => {
      const accepted: string[] = []
      for (const end = performance.now() + milliseconds; performance.now() < end; ) {
        const reply = await submit(`under load, ${accepted.length}.`)
        const answer = reply.json<{ job_id: string; error_code?: string }>()
        if (reply.status === 202) accepted.push(answer.job_id)
        else expect([reply.status, answer.error_code]).toEqual([503, 'UNAVAILABLE'])
        await pause(PACE_MS)
      }
      return accepted
    },
    allIsWell: async (accepted: readonly string[]) => {
      const { rows } = await until(
        () => auditor.db.pool.query<{ id: string }>('select id from job').catch(() => undefined),
        ENDING_MS,
        'the database',
      )
      const ids = rows.map(({ id }) => id)
      await allFinished(auditor, ids, ENDING_MS)
      const pending = `select from webhook_delivery where state = 'pending'`
      await until(async () => (await auditor.db.pool.query(pending)).rowCount === 0, ENDING_MS, 'all webhooks to end')
      const evidence = { door: service, received: received(), logs: [service.stderr()], secrets: [SECRET_TEXT, key] }
      expect(await audit(auditor, accepted, evidence)).toEqual([])
      expect(service.runs()).toBe(true)
    },
    isAtRestAgain: async () => expect(await audit(auditor, [], { before: [before] })).toEqual([]),
    close: async () => {
      await service.stop()
      await auditor.close()
      await cleanUp()
      await Promise.all([proxy.close(), speech.close(), receiver.close()])
      await database.close()
    },
  }
  await fixture.allIsWell(await fixture.loadFor(WARM_UP_MS))
  const before: AtRest = await measureAtRest({ ...service, name: WATCHED })
  return fixture
}
