import type { Runtime } from '../../../src/runtime/runtime.ts'
import { type AtRest, measureAtRest, watchedEnv } from '../audit/at-rest.ts'
import { audit } from '../audit/audit.ts'
import { call } from '../http.ts'
import { allFinished, applyEndpoint } from '../jobs/voice-jobs.ts'
import { endProcesses, type Process, startRole } from '../processes/processes.ts'
import { type Certificates, testCertificates } from '../servers/certificates.ts'
import { type Received, type Receiver, startReceiver } from '../servers/receiver.ts'
import { startTestRuntime, type TestRuntime } from '../service/runtime.ts'
import { WEBHOOK_ENV } from '../service/webhooks.ts'
import { until } from '../wait.ts'

const TIMEOUT_MS = 60_000
const RECEIVER_PATH = '/webhooks'

export interface WorkerFixture {
  readonly service: TestRuntime
  readonly runtime: Runtime
  readonly account: string
  readonly key: string
  readonly receiver: Receiver
  received(jobId: string): readonly Received[]
  /** Endpoints that no test shares have pools of their own. */
  applyEndpoint(slug: string, engine: object, changes?: object): Promise<void>
  /** Submits texts with a webhook; returns the ids of their jobs. */
  submit(slug: string, texts: readonly string[]): Promise<string[]>
  startWorker(pool: string): Promise<Process>
  /** Waits until the jobs and their webhooks have ended, and tells what the audit finds; at the doors, too, of voice jobs alone. */
  auditAll(ids: readonly string[], doors?: boolean): Promise<string[]>
  /** Measures the workers that run, and have nothing to do. */
  measureAtRest(): Promise<void>
  /** The audit's findings once the measured processes are idle again. */
  auditAtRest(): Promise<string[]>
  close(): Promise<void>
}

/** The API in this process, workers as processes of their own on the same database and directory, and a receiver of webhooks. */
export async function openWorkerFixture(): Promise<WorkerFixture> {
  const certificates: Certificates = testCertificates()
  const receiver = await startReceiver(certificates.good)
  const service = await startTestRuntime({ env: WEBHOOK_ENV })
  const { runtime } = service
  const { account, key } = await service.createCaller()
  const workers: (Process & { readonly name: string })[] = []
  let before: AtRest[] = []
  const env = {
    ...WEBHOOK_ENV,
    DATA_DIR: service.dataDir,
    NODE_EXTRA_CA_CERTS: certificates.caFile,
    LOG_LEVEL: 'warn',
    SHUTDOWN_SECONDS: '2',
  }
  const said: string[] = []
  const submitOne = async (slug: string, text: string) => {
    const body = { inputs: { text, voice: 'calm' }, webhook_url: receiver.url + RECEIVER_PATH }
    const reply = await call(`${service.url}/api/v1/voice/${slug}`, { method: 'POST', key, body })
    if (reply.status !== 202) throw new Error(`a submission was answered with ${reply.status}: ${reply.text}`)
    said.push(text)
    return reply.json<{ job_id: string }>().job_id
  }
  return {
    service,
    runtime,
    account,
    key,
    receiver,
    received: (jobId) => receiver.everReceived(RECEIVER_PATH).filter(({ body }) => body.includes(jobId)),
    applyEndpoint: (slug, engine, changes) => applyEndpoint(runtime, slug, engine, changes),
    submit: (slug, texts) => Promise.all(texts.map((text) => submitOne(slug, text))),
    startWorker: async (pool) => {
      const name = `worker ${workers.length + 1}`
      const watched = watchedEnv(runtime.settings.databaseUrl ?? '', name)
      const worker = { ...(await startRole(['work', '--pools', pool], { ...env, ...watched })), name }
      workers.push(worker)
      return worker
    },
    auditAll: async (ids, doors = true) => {
      await allFinished(runtime, ids, TIMEOUT_MS)
      const open = `select from webhook_delivery where state = 'pending' and job_id = any($1)`
      const ended = async () => (await runtime.db.pool.query(open, [ids])).rowCount === 0
      await until(ended, TIMEOUT_MS, 'all webhooks to end')
      const logs = workers.map((worker) => worker.stderr())
      const received = receiver.everReceived(RECEIVER_PATH)
      const door = { url: service.url, key }
      return audit(runtime, ids, { ...(doors && { door }), received, logs, secrets: [key, ...said] })
    },
    measureAtRest: async () => {
      before = await Promise.all(workers.filter(({ runs }) => runs()).map((worker) => measureAtRest(worker)))
    },
    auditAtRest: () => audit(runtime, [], { before }),
    close: async () => {
      await endProcesses()
      await service.close()
      await receiver.close()
    },
  }
}
