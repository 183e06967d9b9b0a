import { setTimeout as wait } from 'node:timers/promises'
import { type Ask, askServer } from './ask-server.ts'
import { EngineError } from './engine.ts'
import { textsOf, withoutWordsOf } from './server-words.ts'

/** Files come back inside the JSON as data URLs. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
const CANCEL_TIMEOUT_MS = 5000
const FIRST_POLL_MS = 200
const LONGEST_POLL_MS = 2000
/** What the database keeps and a path carries. */
const ID_FORM = /^[\x21-\x7e]{1,200}$/
/** All slots of the server are taken. */
const BUSY_STATUS = 409
/** How long a server that is away is asked again; a full one is asked for as long as its workflow says. */
const AWAY_PATIENCE_MS = 3000

export interface CogServer {
  /** Without the trailing slash. */
  readonly baseUrl: string
  readonly busyPatienceMs: number
}

export interface PredictionRequest {
  /** Becomes the prediction's id where the server takes one over. */
  readonly id: string
  readonly input: Readonly<Record<string, unknown>>
  /** When the prediction is of no use any more, in milliseconds of `performance.now()`: a server that asks for longer is not waited for. */
  readonly deadline: number
  /** Aborted when the job is cancelled or out of time: the prediction is cancelled. */
  readonly signal: AbortSignal
}

/** What a prediction that succeeded brought. */
export interface Prediction {
  readonly id: string
  /** JSON as the server gave it: data URLs, http URLs, lists and objects of them, or plain values. */
  readonly output: unknown
  /** `metrics.predict_time`; null where the server does not say. */
  readonly predictMs: number | null
}

interface Answer {
  readonly id?: unknown
  readonly status?: unknown
  readonly output?: unknown
  readonly error?: unknown
  readonly metrics?: { readonly predict_time?: unknown } | null
  readonly urls?: { readonly get?: unknown } | null
}

/**
 * Runs one prediction over the Cog HTTP API and waits for its end: in the answer to `POST /predictions`, or by asking again where
 * the server says that it is still at work.
 * @throws EngineError; or the signal's reason when aborted
 */
export async function predict(
  server: CogServer,
  { id, input, signal, deadline }: PredictionRequest,
): Promise<Prediction> {
  let predictionId = id
  let underWay = false
  try {
    let answer = await create(server, { id, input, signal, deadline })
    predictionId = idOf(answer, id)
    underWay = isUnderWay(answer)
    for (let pause = FIRST_POLL_MS; underWay; pause = Math.min(pause * 2, LONGEST_POLL_MS)) {
      await wait(pause, undefined, { signal })
      answer = await look(server, { id: predictionId, input, signal, deadline })
      underWay = isUnderWay(answer)
    }
    return finished(answer, predictionId, input)
  } catch (error) {
    // Whoever does not wait for it any more stops it: the GPU would go on for nobody.
    if (underWay || signal.aborted) void cancel(server, predictionId)
    throw signal.aborted ? signal.reason : error
  }
}

/** Cog's PUT names a prediction that runs without making another; servers before it answer a GET. */
async function look(server: CogServer, { id, input, signal, deadline }: PredictionRequest): Promise<Answer> {
  const url = statusUrl(server, id)
  const patience = { busyUntilMs: performance.now() + lookPatienceMs(server), toldUntilMs: deadline }
  try {
    return await ask({ method: 'PUT', url, body: { id, input }, ...patience, ...limits(signal) })
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'RENDER_FAILED') throw error
  }
  try {
    return await ask({ method: 'GET', url, ...patience, ...limits(signal) })
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'RENDER_FAILED') throw error
    throw new EngineError('PROVIDER_UNAVAILABLE', `the server lost the prediction: ${error.message}`, { cause: error })
  }
}

/** Being asked too often is no reason to give up what the server already works on. */
const lookPatienceMs = ({ busyPatienceMs }: CogServer): number => Math.max(busyPatienceMs, AWAY_PATIENCE_MS)

const create = async (server: CogServer, { id, input, signal, deadline }: PredictionRequest): Promise<Answer> =>
  ask({
    url: `${server.baseUrl}/predictions`,
    body: { id, input },
    busyStatuses: [BUSY_STATUS],
    busyUntilMs: performance.now() + server.busyPatienceMs,
    toldUntilMs: deadline,
    ...limits(signal),
  })

const limits = (signal: AbortSignal) => ({
  signal,
  maxBytes: MAX_ANSWER_BYTES,
  awayUntilMs: performance.now() + AWAY_PATIENCE_MS,
})

async function ask(request: Ask): Promise<Answer> {
  const answer = await askServer(request)
  if (answer !== null && typeof answer === 'object' && !Array.isArray(answer)) return answer
  throw new EngineError('PROVIDER_UNAVAILABLE', 'the answer is no prediction')
}

const isUnderWay = ({ status }: Answer): boolean => status === 'starting' || status === 'processing'

const idOf = (answer: Answer, asked: string): string =>
  typeof answer.id === 'string' && ID_FORM.test(answer.id) ? answer.id : asked

/** Built from the server's own address: what the answer names elsewhere is not asked. */
const statusUrl = (server: CogServer, id: string): string => `${server.baseUrl}/predictions/${encodeURIComponent(id)}`

function finished(answer: Answer, id: string, input: PredictionRequest['input']): Prediction {
  if (answer.status === 'failed') {
    const told = typeof answer.error === 'string' ? withoutWordsOf(answer.error, textsOf(input)) : 'it gives no reason'
    throw new EngineError('RENDER_FAILED', `the prediction failed: ${told}`)
  }
  if (answer.status === 'canceled') throw new EngineError('PROVIDER_UNAVAILABLE', 'the server cancelled the prediction')
  if (answer.status !== 'succeeded') throw new EngineError('PROVIDER_UNAVAILABLE', 'the answer is no prediction')
  const seconds = answer.metrics?.predict_time
  const known = typeof seconds === 'number' && seconds >= 0 && seconds < 2_000_000
  return { id, output: answer.output ?? null, predictMs: known ? Math.round(seconds * 1000) : null }
}

/** Best effort: the closed connection has already told a server that watches it. */
async function cancel(server: CogServer, id: string): Promise<void> {
  const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS)
  const url = `${statusUrl(server, id)}/cancel`
  await askServer({ url, body: {}, signal, maxBytes: MAX_ANSWER_BYTES }).catch(() => undefined)
}
