import { findWav } from '../audio/plain-wav.ts'
import { NO_TELEMETRY, type Telemetry } from '../telemetry/telemetry.ts'
import { askWatched } from './ask-watched.ts'
import { CAPTIONED_PATH, readCaptioned, readWordTimestamps, refusesTimes } from './captioned-speech.ts'
import { dialectOf } from './dialects.ts'
import {
  BadAudio,
  EngineError,
  type EngineErrorCode,
  FailedAttempt,
  type Speech,
  type SpeechEngine,
  type SpeechRequest,
} from './engine.ts'
import { OWNED_RETRY_SECONDS, type Probe, type SpeechServerBlock } from './engine-block.ts'
import { type Answer, type Connection, exchange, exchangeOnce, first, keyOf, TOO_LONG } from './exchange.ts'
import { leastLoaded, type Member } from './least-loaded.ts'
import { type Follow, measureRequest, serverName } from './measure-request.ts'
import { listedVoices, speechBody } from './openai-speech-profile.ts'
import { withRetries } from './retry.ts'
import {
  isAway,
  isBusy,
  isQuotaSpent,
  messageOf,
  PROBE_MS,
  parseJson,
  parseRetryAfter,
  requireLiving,
  throwIfAway,
  withoutWordsOf,
} from './server-failure.ts'

/** 48 kHz, 16 bits, stereo. */
const USUAL_BYTES_PER_SECOND = 192_000
/** 96 kHz, 64 bits, stereo. */
const MOST_BYTES_PER_SECOND = 1_536_000
const LONGEST_RATIO = 4
const LEAST_CAP_BYTES = 4 * 1024 * 1024
const LONGEST_SPEECH_SECONDS = 1200
const LEAST_DECODED_SECONDS = 120
const MOST_BYTES_OF_JSON = 1.5
const LACKING: ReadonlySet<number> = new Set([404, 405])
/** vLLM-Omni sends these with a 400. */
const SERVERS_OWN_FAULT =
  /did not produce audio output|speech generation failed|no output generated|out of memory|cuda error|enginecore/i
/** FastAPI's rejection of a request that its handler sends again as a 500. */
const REJECTION_AS_500 = /^4\d\d: /
const MISSING_MODEL =
  /\bmodel\b.{0,200}\b(does not exist|not found|not installed|not supported)\b|\b(unsupported|unknown|no such) model\b/i
const REJECTED_STATUSES: ReadonlySet<number> = new Set([400, 404, 409, 410, 413, 414, 415, 422])
const READ_BYTES = 600
const SHOWN_CHARACTERS = 120
/** Long words may be keys, tokens or texts in base64. */
const SECRET = /[\w+=~-]{20,}/g
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\uFFFD]+/gu

/**
 * An aborted request closes its connection, so the GPU stops.
 * @param connections to each server of the engine
 * @param probeOf tries a worker's own server after the request has failed
 * @param followAt follows the requests at one of the servers
 */
export function openOpenaiSpeech(
  connections: readonly Connection[],
  telemetry: Telemetry = NO_TELEMETRY,
  probeOf?: (request: SpeechRequest) => Probe | undefined,
  followAt?: (block: SpeechServerBlock) => Follow<Speech> | undefined,
): SpeechEngine {
  const once: SpeechEngine = {
    slots: connections.reduce((sum, { block }) => sum + block.max_in_flight, 0),
    deterministic: false,
    voices: (signal) => voicesOfAll(connections, signal),
    speak: leastLoaded(connections.map((connection) => memberAt(connection, telemetry, { probeOf, followAt }))),
  }
  const retries = connections.map(({ block, server }) =>
    Math.max(server.owned === undefined ? 0 : OWNED_RETRY_SECONDS, block.retry_seconds),
  )
  return withRetries(once, { retryBudgetMs: Math.max(...retries) * 1000 })
}

interface Watching {
  readonly probeOf: ((request: SpeechRequest) => Probe | undefined) | undefined
  readonly followAt: ((block: SpeechServerBlock) => Follow<Speech> | undefined) | undefined
}

function memberAt(connection: Connection, telemetry: Telemetry, { probeOf, followAt }: Watching): Member {
  const { block, server } = connection
  const measured = { telemetry, kind: block.kind, server: serverName(server.baseUrl), follow: followAt?.(block) }
  return {
    server,
    // The breaker decides after the wait for a slot, because the server may fail meanwhile.
    ask: (request) => {
      const { signal, judge } = request
      const askUntil = (until: AbortSignal) =>
        measureRequest(measured, until, () => speakOnce(connection, { ...request, signal: until }), judge)
      const { owned } = server
      return server.breaker.run(() =>
        owned ? askWatched(owned, request, askUntil, probeOf?.(request)) : askUntil(signal),
      )
    },
  }
}

/** The voices that each server has; null if one of them lists none. */
async function voicesOfAll(connections: readonly Connection[], signal: AbortSignal): Promise<readonly string[] | null> {
  const [first = null, ...others] = await Promise.all(connections.map((connection) => listVoices(connection, signal)))
  if (first === null || others.includes(null)) return null
  return first.filter((voice) => others.every((voices) => voices?.includes(voice)))
}

/** Speaks the request's probe besides the limit of requests: the one that failed has just left. @throws EngineError, BadAudio */
export async function speakProbe(connection: Connection, request: SpeechRequest): Promise<void> {
  request.judge?.(await speakOnce(connection, request))
}

/** Takes a slot that is free, without the circuit breaker. Null if none is. @throws EngineError; the signal's reason */
export async function speakBeside(connection: Connection, request: SpeechRequest): Promise<Speech | null> {
  const { slots } = connection.server
  if (slots.waiting > 0 || slots.load >= 1) return null
  return slots.run(request.signal, () => speakOnce(connection, request))
}

async function speakOnce(connection: Connection, request: SpeechRequest, mayHaveTimes = true): Promise<Speech> {
  const { text, styleInstruction = '', voice } = request
  const { server, block } = connection
  const asksForTimes = mayHaveTimes && block.word_timestamps === true && !server.lacksTimes
  const body = JSON.stringify({ ...speechBody(block, request), ...(asksForTimes && { word_timestamps: true }) })
  const texts = [text, styleInstruction, voice.referenceText ?? '', keyOf(connection)]
  server.owned?.noteSent(texts)
  const captioned = await speakCaptioned(connection, request, body)
  if (captioned !== null) return captioned
  const seconds = mostSecondsOf(request)
  const answer = await exchange(connection, {
    path: '/v1/audio/speech',
    method: 'POST',
    body,
    cap: capOf(seconds),
    capOf: (beginning) => capOf(seconds, bytesPerSecond(beginning)),
    signal: request.signal,
  })
  if (asksForTimes && refusesTimes(answer.status, answer.bytes)) {
    const untimed = await speakOnce(connection, request, false)
    // A server that rejects the text may quote the request, so only a success proves it.
    server.lacksTimes = true
    return untimed
  }
  if (answer.status !== 200) throw toError(answer, texts)
  const { signal, awaitedBy } = request
  const audio = await readSpeech(connection, answer, { seconds, texts, signal, awaitedBy })
  const words = readWordTimestamps(first(answer.headers['x-word-timestamps']), audio.sampleRate, text)
  return { audio, truncated: first(answer.headers['x-finish-reason']) === 'length', ...words }
}

const mostSecondsOf = ({ expectedSeconds = LONGEST_SPEECH_SECONDS }: SpeechRequest): number =>
  expectedSeconds * LONGEST_RATIO

const capOf = (seconds: number, perSecond = USUAL_BYTES_PER_SECOND): number =>
  Math.max(LEAST_CAP_BYTES, seconds * perSecond)

function bytesPerSecond(beginning: Buffer): number {
  const { sampleRate = 0, channels = 0, bits = 0 } = findWav(beginning) ?? {}
  return Math.min(MOST_BYTES_PER_SECOND, Math.max(USUAL_BYTES_PER_SECOND, sampleRate * channels * Math.ceil(bits / 8)))
}

interface Reading {
  readonly seconds: number
  readonly texts: readonly string[]
  readonly signal: AbortSignal
  readonly awaitedBy: string | undefined
}

/** @throws EngineError PROVIDER_UNAVAILABLE for no audio, BadAudio for too much of it */
async function readSpeech({ server }: Connection, answer: Answer, reading: Reading) {
  const { seconds, texts, signal, awaitedBy } = reading
  const contentType = first(answer.headers['content-type']) ?? ''
  const most = Math.max(LEAST_DECODED_SECONDS, Math.min(seconds, LONGEST_SPEECH_SECONDS))
  const options = { mostSeconds: most, signal, awaitedBy }
  const audio = await server.reader.read(answer.bytes, contentType, options).catch((error: Error) => {
    signal.throwIfAborted()
    throw unreadAnswer(answer, error.message, texts)
  })
  if (audio.samples.length > Math.max(most, seconds) * audio.sampleRate) throw new BadAudio(TOO_LONG)
  return audio
}

/** Returns null if the server fails here; the text is then spoken without times. */
async function speakCaptioned(connection: Connection, request: SpeechRequest, body: string): Promise<Speech | null> {
  const { block, server } = connection
  if (block.profile !== 'kokoro' || server.lacksTimes) return null
  const { text, signal, awaitedBy } = request
  const seconds = mostSecondsOf(request)
  const cap = capOf(seconds) * MOST_BYTES_OF_JSON
  const answer = await exchange(connection, { path: CAPTIONED_PATH, method: 'POST', body, cap, signal })
  if (LACKING.has(answer.status)) server.lacksTimes = true
  const captioned = answer.status === 200 ? readCaptioned(parseJson(answer.bytes.toString()), text) : null
  if (captioned === null) return null
  const { bytes, contentType, wordsAt } = captioned
  const most = Math.max(LEAST_DECODED_SECONDS, Math.min(seconds, LONGEST_SPEECH_SECONDS))
  const audio = await server.reader.read(bytes, contentType, { mostSeconds: most, signal, awaitedBy }).catch(() => null)
  return audio && { audio, ...wordsAt(audio.sampleRate) }
}

async function listVoices(connection: Connection, signal: AbortSignal): Promise<readonly string[] | null> {
  const { voices: path } = dialectOf(connection.block.profile)
  if (path === undefined) return null
  const answer = await exchange(connection, { path, method: 'GET', cap: LEAST_CAP_BYTES, signal })
  if (answer.status === 404 || answer.status === 405) return null
  if (answer.status !== 200) throw toError(answer, [keyOf(connection)])
  return listedVoices(parseJson(answer.bytes.toString()))?.map(({ name }) => name) ?? null
}

/**
 * Any answer shows that the server lives. Returns whether that could be told.
 * @throws EngineError PROVIDER_UNAVAILABLE
 */
export async function probeSpeechServer(given: Connection): Promise<boolean> {
  const signal = AbortSignal.timeout(PROBE_MS)
  const { server } = given
  const connection = hasKey(given) ? given : { ...given, block: withoutKey(given.block) }
  try {
    const answer = await exchangeOnce(connection, { path: '/v1/models', method: 'GET', cap: LEAST_CAP_BYTES, signal })
    requireLiving(server.baseUrl, answer.status, answer.bytes.toString())
  } catch (error) {
    if (signal.aborted && server.slots.inUse > 0) return false
    throwIfAway(server.baseUrl, error)
  }
  return true
}

function hasKey(connection: Connection): boolean {
  try {
    return keyOf(connection) !== ''
  } catch {
    return false
  }
}

const withoutKey = ({
  api_key_env: _name,
  api_key_sealed: _sealed,
  ...open
}: Connection['block']): Connection['block'] => open

/** @param texts sent; the error holds none of their words */
function toError({ status, headers, bytes }: Answer, texts: readonly string[]): EngineError {
  const body = bytes.toString()
  const message = messageOf(body)
  const retryAfterMs = parseRetryAfter(first(headers['retry-after']))
  const reason = `The server answered ${status}: ${withoutWordsOf(message, texts)}`
  const options = retryAfterMs === undefined ? {} : { retryAfterMs }
  if (status === 400 && SERVERS_OWN_FAULT.test(message)) return new FailedAttempt(reason, options)
  return new EngineError(isQuotaSpent(body) ? 'INTERNAL_ERROR' : codeOf(status, message), reason, options)
}

function codeOf(status: number, message: string): EngineErrorCode {
  if (isBusy(status, message)) return 'PROVIDER_BUSY'
  if (status === 500 && REJECTION_AS_500.test(message)) return 'RENDER_FAILED'
  if (isAway(status)) return 'PROVIDER_UNAVAILABLE'
  // The operator must mend a rejected key, a redirecting address or a missing model.
  return REJECTED_STATUSES.has(status) && !MISSING_MODEL.test(message) ? 'RENDER_FAILED' : 'INTERNAL_ERROR'
}

/** @param texts sent; the error holds none of their words */
function unreadAnswer({ bytes, headers }: Answer, reason: string, texts: readonly string[]): EngineError {
  const what = `${bytes.length} bytes of ${shown(first(headers['content-type']) ?? '', texts) || 'no content type'}`
  const begin = bytes.length === 0 ? '' : ` that begin with "${beginningOf(bytes, texts)}"`
  return new EngineError('PROVIDER_UNAVAILABLE', `The server answered 200 without speech: ${what}${begin}. ${reason}`)
}

/** Zeros of wide characters would split words. */
const beginningOf = (bytes: Uint8Array, texts: readonly string[]): string =>
  shown(Buffer.from(bytes.subarray(0, READ_BYTES)).toString().replaceAll('\0', ''), texts)

const shown = (said: string, texts: readonly string[]): string =>
  withoutWordsOf(said.replace(SECRET, '…'), texts).replace(UNPRINTABLE, '.').slice(0, SHOWN_CHARACTERS)
