import { setTimeout as wait } from 'node:timers/promises'
import { type Ask, askServer } from './ask-server.ts'
import { type Answer, finished, hasEnded, idOf, isUnderWay, type Prediction, predictMsOf } from './cog-answer.ts'
import type { CogServer } from './cog-servers.ts'
import { EngineError, FailedAttempt } from './engine.ts'
import { measureRequest } from './measure-request.ts'
import { PROBE_MS, throwIfAway } from './probe-server.ts'
import { type RetryBudgetMs, withRetryBudget } from './retry.ts'
import { neverConnected } from './server-status.ts'
import { textsOf } from './server-words.ts'

/** Files come back inside the JSON as data URLs. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
const CANCEL_TIMEOUT_MS = 5000
const SHORTEST_POLL_MS = 200
const LONGEST_POLL_MS = 2000
/** A finished prediction holds capacity for no more than this part of its time before that is known. */
const POLL_SHARE = 0.1
/** All slots of the server are taken. */
const BUSY_STATUS = 409

/** A prediction to be made, and what happens around it. */
export interface PredictionRequest {
  /** Becomes the prediction's id where the server takes one over. */
  readonly id: string
  readonly input: Readonly<Record<string, unknown>>
  readonly retryBudgetMs: RetryBudgetMs
  /** When the prediction is of no use any more, in milliseconds of `performance.now()`: a server that asks for longer is not waited for. */
  readonly deadline: number
  /** Aborted when the job is cancelled or out of time: the prediction is cancelled. */
  readonly signal: AbortSignal
  /** Predictions of earlier attempts, of which something may be left: cancelled first. */
  readonly leftovers: readonly string[]
  /** Releases the capacity at the server and waits for some again. @throws the signal's reason */
  reenter(): Promise<void>
  /** Called with every answer about the prediction, one to its cancellation included: also after this has thrown. */
  onSeen?(seen: SeenPrediction): void
  /** Called once, when nothing of the prediction is at the server any more: also after this has returned or thrown. */
  release(): void
}

/** What the server says of a prediction besides its output. */
export interface SeenPrediction extends Pick<Prediction, 'id' | 'predictMs'> {
  /** Nothing more comes of it, unless it is sent to the server again. */
  readonly ended: boolean
}

/** How far a prediction has come. */
interface Stay {
  id: string
  begun: boolean
  /** The server has said that it works on it. */
  underWay: boolean
  /** The server may be working on it. */
  mayBeThere: boolean
}

/**
 * Runs one prediction over the Cog HTTP API and waits for its end: in the answer to `POST /predictions`, or by asking again where
 * the server says that it is still at work. A server that is busy or away is asked again; one that lost or cancelled the prediction, as
 * those do that are restarted, gets it again.
 * @throws EngineError; or the signal's reason when aborted
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
    // A prediction without a job is cancelled: the GPU would work for nothing.
    server.releaseAfter(stay.mayBeThere ? abandon(server, request, stay) : Promise.resolve(), request.release)
  }
}

/** Being asked too often is no reason to give up what the server already works on. */
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
  // An answer that broke off leaves a prediction that keeps the server busy.
  if (stay.mayBeThere) await cancel(server, stay.id, signal)
  stay.mayBeThere = false
  // A process that slept has lost its capacity at the server, and finds its prediction cancelled by the worker that has the job now.
  await reenter()
}

/** Asks the server once. null: it is at work. */
async function askOnce(server: CogServer, request: PredictionRequest, stay: Stay): Promise<Prediction | null> {
  const ask = () => (stay.underWay ? poll(server, request, stay) : create(server, request, stay))
  const answer = await measureRequest(server.measured, request.signal, ask)
  report(request, answer, stay)
  if (isUnderWay(answer)) {
    Object.assign(stay, { id: idOf(answer, stay.id), underWay: true, mayBeThere: true })
    return null
  }
  if (stay.underWay && !hasEnded(answer)) throw new FailedAttempt('the answer is no prediction')
  Object.assign(stay, { underWay: false, mayBeThere: false })
  return finished(answer, idOf(answer, stay.id), request.input)
}

function report({ onSeen }: PredictionRequest, answer: Answer, stay: Stay): void {
  const ended = hasEnded(answer)
  if (ended || isUnderWay(answer)) onSeen?.({ id: idOf(answer, stay.id), predictMs: predictMsOf(answer), ended })
}

/** Some servers answer a cancellation with the prediction, and how long it took until then. */
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

/** Cog's PUT names a prediction that runs without making another; servers before it answer a GET. */
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

/** Built from the server's own address: what the answer names elsewhere is not asked. */
const statusUrl = (server: Pick<CogServer, 'baseUrl'>, id: string): string =>
  `${server.baseUrl}/predictions/${encodeURIComponent(id)}`

const cancel = ({ baseUrl }: CogServer, id: string, until?: AbortSignal) => cancelPrediction(baseUrl, id, until)

/** Best effort: a server that watches its connections knows it from the closed one. Returns what the server answers, if it does. */
export async function cancelPrediction(baseUrl: string, id: string, until?: AbortSignal): Promise<Answer | undefined> {
  const limit = AbortSignal.timeout(CANCEL_TIMEOUT_MS)
  const signal = until === undefined ? limit : AbortSignal.any([until, limit])
  const url = `${statusUrl({ baseUrl }, id)}/cancel`
  return ask({ what: 'predictions/{id}/cancel', url, body: {}, signal }).catch(() => undefined)
}

/** Asks a server whether it is there. @throws EngineError PROVIDER_UNAVAILABLE with the reason in one line */
export async function probeCog(baseUrl: string): Promise<void> {
  const signal = AbortSignal.timeout(PROBE_MS)
  try {
    const url = `${baseUrl}/health-check`
    await askServer({ method: 'GET', what: 'health-check', url, signal, maxBytes: MAX_ANSWER_BYTES })
  } catch (error) {
    throwIfAway(baseUrl, error)
  }
}
