import { setTimeout as wait } from 'node:timers/promises'
import type { Semaphore } from '../concurrency/semaphore.ts'
import { NO_TELEMETRY, type Telemetry } from '../telemetry/telemetry.ts'
import { type Ask, askServer } from './ask-server.ts'
import { suspicionOf } from './ask-watched.ts'
import { EngineError, FailedAttempt } from './engine.ts'
import { addressOf, NO_OWNED_SERVER, OWNED_SERVER, type OwnedServer } from './engine-block.ts'
import { type Measured, measureRequest, serverName } from './measure-request.ts'
import { CircuitBreaker, type RetryBudgetMs, withRetryBudget } from './retry.ts'
import { neverConnected, PROBE_MS, textsOf, throwIfAway, withoutWordsOf } from './server-failure.ts'

const MAX_ANSWER_BYTES = 64 * 1024 * 1024
const CANCEL_TIMEOUT_MS = 5000
const SHORTEST_POLL_MS = 200
const LONGEST_POLL_MS = 2000
/** Polling delays a finished prediction by at most this share of its time. */
const POLL_SHARE = 0.1
const BUSY_STATUS = 409
/** Callers see the id and a path contains it, so it must not be an address. */
const ID_FORM = /^[\x21-\x7e]{1,200}$/
const MAX_PREDICT_SECONDS = 2_000_000

export interface PredictionRequest {
  readonly id: string
  readonly input: Readonly<Record<string, unknown>>
  readonly retryBudgetMs: RetryBudgetMs
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number
  readonly signal: AbortSignal
  /** False after so many attempts that the inputs may be the fault. */
  readonly isEvidence?: boolean
  /** Predictions of earlier attempts, cancelled first. */
  readonly leftovers: readonly string[]
  /** Releases the server's capacity and acquires it again. @throws the signal's reason */
  reenter(): Promise<void>
  /** Also called after `predict` has thrown. */
  onSeen?(seen: SeenPrediction): void
  /** Called once, when the server holds nothing of the prediction. */
  release(): void
}

export interface SeenPrediction extends Pick<Prediction, 'id' | 'predictMs'> {
  readonly ended: boolean
}

interface Stay {
  id: string
  begun: boolean
  underWay: boolean
  mayBeThere: boolean
}

interface Answer {
  readonly id?: unknown
  readonly status?: unknown
  readonly output?: unknown
  readonly error?: unknown
  readonly metrics?: { readonly predict_time?: unknown } | null
}

interface Prediction {
  readonly id: string
  /** Data URLs, http URLs, lists and objects of them, or plain values. */
  readonly output: unknown
  /** `metrics.predict_time`; null if the server does not say. */
  readonly predictMs: number | null
}

export interface CogServer {
  readonly baseUrl: string
  readonly owned?: OwnedServer | undefined
  /** A prediction holds its slot until its end or the answer to its cancellation. */
  readonly slots: Semaphore
  readonly breaker: CircuitBreaker
  readonly measured: Measured
  /** Calls `release` once `gone` has settled. */
  releaseAfter(gone: Promise<void>, release: () => void): void
}

export interface CogServers {
  /** @throws if the worker's own server does not answer */
  at(baseUrl: string): CogServer
  left(): Promise<void>
}

/**
 * Runs one prediction and waits for its end. It repeats while the server is busy or unavailable or lost the prediction.
 * @throws EngineError; the signal's reason
 */
export async function predict(server: CogServer, request: PredictionRequest): Promise<Prediction> {
  const { signal, deadline } = request
  const stay: Stay = { id: request.id, begun: false, underWay: false, mayBeThere: false }
  const failed = { attempts: 0 }
  try {
    await Promise.all(request.leftovers.map((id) => cancel(server, id, signal)))
    for (const began = performance.now(); ; ) {
      const options = { retryBudgetMs: retryBudgetFor(request, stay), deadline, signal, failed }
      const prediction = await withRetryBudget(options, () => proceed(server, request, stay))
      if (prediction !== null) return prediction
      const pauseMs = (performance.now() - began) * POLL_SHARE
      await wait(Math.max(SHORTEST_POLL_MS, Math.min(pauseMs, LONGEST_POLL_MS)), undefined, { signal })
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    // The GPU must not work for a job that is over.
    server.releaseAfter(stay.mayBeThere ? abandon(server, request, stay) : Promise.resolve(), request.release)
  }
}

const retryBudgetFor = ({ retryBudgetMs: { busy, away } }: PredictionRequest, { underWay }: Stay): RetryBudgetMs => ({
  busy: underWay ? Math.max(busy, away) : busy,
  away,
})

async function proceed(server: CogServer, request: PredictionRequest, stay: Stay): Promise<Prediction | null> {
  if (stay.begun && !stay.underWay) await beginAnew(server, request, stay)
  stay.begun = true
  return server.breaker.run(() => askOnce(server, request, stay))
}

async function beginAnew(server: CogServer, { signal, reenter }: PredictionRequest, stay: Stay): Promise<void> {
  if (stay.mayBeThere) await cancel(server, stay.id, signal)
  stay.mayBeThere = false
  // A suspended process lost its capacity, and another worker may have cancelled its prediction.
  await reenter()
}

async function askOnce(server: CogServer, request: PredictionRequest, stay: Stay): Promise<Prediction | null> {
  const ask = () => (stay.underWay ? poll(server, request, stay) : create(server, request, stay))
  const answer = await measureRequest(server.measured, request.signal, ask).catch((error) =>
    judged(server, request, error),
  )
  server.owned?.noteGood({})
  report(request, answer, stay)
  if (isUnderWay(answer)) {
    Object.assign(stay, { id: idOf(answer, stay.id), underWay: true, mayBeThere: true })
    return null
  }
  if (stay.underWay && !hasEnded(answer)) throw new FailedAttempt('the answer is no prediction')
  Object.assign(stay, { underWay: false, mayBeThere: false })
  return finished(answer, idOf(answer, stay.id), request.input)
}

/** @throws */
async function judged({ owned }: CogServer, { isEvidence }: PredictionRequest, error: unknown): Promise<never> {
  const suspicion = error instanceof FailedAttempt || !isEvidence ? null : suspicionOf(error)
  if (suspicion !== null) await owned?.judge(suspicion)
  throw error
}

function report({ onSeen }: PredictionRequest, answer: Answer, stay: Stay): void {
  const ended = hasEnded(answer)
  if (ended || isUnderWay(answer)) onSeen?.({ id: idOf(answer, stay.id), predictMs: predictMsOf(answer), ended })
}

async function abandon(server: CogServer, request: PredictionRequest, stay: Stay): Promise<void> {
  const answer = await cancel(server, stay.id)
  if (answer !== undefined) report(request, answer, stay)
}

async function create(server: CogServer, { id, input, signal }: PredictionRequest, stay: Stay): Promise<Answer> {
  Object.assign(stay, { id, mayBeThere: true })
  server.owned?.noteSent(textsOf(input))
  try {
    return await ask({
      what: 'predictions',
      url: `${server.baseUrl}/predictions`,
      body: { id, input },
      busyStatuses: [BUSY_STATUS],
      signal,
    })
  } catch (error) {
    if (!signal.aborted) stay.mayBeThere = hasBrokenOff(error)
    throw error
  }
}

const hasBrokenOff = (error: unknown): boolean =>
  error instanceof EngineError && error.cause !== undefined && !neverConnected(error.cause)

/** Cog's PUT returns a running prediction; older servers only answer GET. */
async function poll(server: CogServer, { input, signal }: PredictionRequest, stay: Stay): Promise<Answer> {
  const url = statusUrl(server, stay.id)
  const unknown = (error: unknown) => error instanceof EngineError && error.code === 'RENDER_FAILED'
  try {
    return await ask({ method: 'PUT', what: 'predictions/{id}', url, body: { id: stay.id, input }, signal })
  } catch (error) {
    if (!unknown(error)) throw error
  }
  try {
    return await ask({ method: 'GET', what: 'predictions/{id}', url, signal })
  } catch (error) {
    if (!unknown(error)) throw error
    Object.assign(stay, { underWay: false, mayBeThere: false })
    throw new FailedAttempt(`the server lost the prediction: ${(error as Error).message}`, { cause: error })
  }
}

async function ask(request: Omit<Ask, 'maxBytes'>): Promise<Answer> {
  const answer = await askServer({ ...request, maxBytes: MAX_ANSWER_BYTES })
  if (answer !== null && typeof answer === 'object' && !Array.isArray(answer)) return answer
  throw new FailedAttempt('the answer is no prediction')
}

/** Built from the configured address, because URLs in an answer are not trusted. */
const statusUrl = (server: Pick<CogServer, 'baseUrl'>, id: string): string =>
  `${server.baseUrl}/predictions/${encodeURIComponent(id)}`

const cancel = ({ baseUrl }: CogServer, id: string, until?: AbortSignal) => cancelPrediction(baseUrl, id, until)

/** Best effort: returns the server's answer, or undefined after a failure. */
export async function cancelPrediction(baseUrl: string, id: string, until?: AbortSignal): Promise<Answer | undefined> {
  const limit = AbortSignal.timeout(CANCEL_TIMEOUT_MS)
  const signal = until === undefined ? limit : AbortSignal.any([until, limit])
  const url = `${statusUrl({ baseUrl }, id)}/cancel`
  return ask({ what: 'predictions/{id}/cancel', url, body: {}, signal }).catch(() => undefined)
}

/** @throws EngineError PROVIDER_UNAVAILABLE */
export async function probeCog(baseUrl: string): Promise<void> {
  const signal = AbortSignal.timeout(PROBE_MS)
  try {
    const url = `${baseUrl}/health-check`
    await askServer({ method: 'GET', what: 'health-check', url, signal, maxBytes: MAX_ANSWER_BYTES })
  } catch (error) {
    throwIfAway(baseUrl, error)
  }
}

const isUnderWay = ({ status }: Answer): boolean => status === 'starting' || status === 'processing'
const hasEnded = ({ status }: Answer): boolean => status === 'succeeded' || status === 'failed' || status === 'canceled'

const idOf = (answer: Answer, asked: string): string =>
  typeof answer.id === 'string' && ID_FORM.test(answer.id) && !answer.id.includes('//') ? answer.id : asked

function predictMsOf({ metrics }: Answer): number | null {
  const seconds = metrics?.predict_time
  const known = typeof seconds === 'number' && seconds >= 0 && seconds < MAX_PREDICT_SECONDS
  return known ? Math.round(seconds * 1000) : null
}

/** @throws EngineError RENDER_FAILED if it failed, FailedAttempt otherwise */
function finished(answer: Answer, id: string, input: Readonly<Record<string, unknown>>): Prediction {
  if (answer.status === 'failed') {
    const reason =
      typeof answer.error === 'string' ? withoutWordsOf(answer.error, textsOf(input)) : 'it gives no reason'
    throw new EngineError('RENDER_FAILED', `the prediction failed: ${reason}`)
  }
  if (answer.status === 'canceled') throw new FailedAttempt('the server cancelled the prediction')
  if (answer.status !== 'succeeded') throw new FailedAttempt('the answer is no prediction')
  return { id, output: answer.output ?? null, predictMs: predictMsOf(answer) }
}

export function openCogServers(
  slotsAt: (baseUrl: string) => Semaphore,
  owned: OwnedServer = NO_OWNED_SERVER,
  telemetry: Telemetry = NO_TELEMETRY,
): CogServers {
  const breakers = new Map<string, CircuitBreaker>()
  const releasing = new Set<Promise<void>>()
  const breakerAt = (baseUrl: string): CircuitBreaker => {
    const breaker = breakers.get(baseUrl) ?? new CircuitBreaker()
    breakers.set(baseUrl, breaker)
    return breaker
  }
  const unread = telemetry.gauge('engine_down', () =>
    [...breakers].map(([baseUrl, { isOpen }]) => ({ labels: { server: serverName(baseUrl) }, value: Number(isOpen) })),
  )
  const releaseAfter: CogServer['releaseAfter'] = (gone, release) => {
    const left = gone.then(release, release).finally(() => releasing.delete(left))
    releasing.add(left)
  }
  return {
    at: (name) => {
      const baseUrl = addressOf(name, owned)
      const server = {
        baseUrl,
        slots: slotsAt(name),
        breaker: breakerAt(baseUrl),
        releaseAfter,
        measured: { telemetry, kind: 'cog', server: serverName(baseUrl) },
      }
      return name === OWNED_SERVER ? { ...server, owned } : server
    },
    left: async () => {
      await Promise.all(releasing)
      unread()
    },
  }
}
