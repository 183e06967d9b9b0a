import { createHash } from 'node:crypto'
import type { Parts } from '../context.ts'
import { untilAnswered } from '../db/until-answered.ts'
import { loadVoice } from '../endpoints/load-voice.ts'
import type { VoiceEndpoint } from '../endpoints/voice-endpoint.ts'
import { EngineError, type SpeechRequest } from '../engines/engine.ts'
import type { Engines } from '../engines/engines.ts'
import { type Claim, claimJob } from '../jobs/claim-job.ts'
import { completeJob, type FinishedArtifact } from '../jobs/complete-job.ts'
import { failJob } from '../jobs/fail-job.ts'
import { JobFailure } from '../jobs/job.ts'
import { recordProgress } from '../jobs/record-progress.ts'
import { type Spoken, speakText } from './speak-text.ts'
import { trackProgress } from './track-progress.ts'

/** A job whose workers died this often is not tried again: it may be what kills them. */
const MAX_ATTEMPTS = 5
const AUDIO_TYPE = 'audio/wav'

export interface SynthesisParts extends Parts {
  readonly engines: Engines
}

/**
 * A worker's whole way with one voice job: claim and charge, render, check, store, finish. Running it twice for one job is harmless.
 * @throws when the job must be delivered again: the database is away, or `signal` was aborted
 */
export async function synthesize(parts: SynthesisParts, jobId: string, signal: AbortSignal): Promise<void> {
  const claim = await claimJob(parts.db, jobId)
  if (claim === null) return
  let storageKey: string | null = null
  try {
    if (claim.attempt > MAX_ATTEMPTS) throw new JobFailure('INTERNAL_ERROR', `gave up after ${MAX_ATTEMPTS} attempts`)
    const endpoint = endpointOf(parts, claim)
    const { wav, durationMs, chunks } = await render(parts, endpoint, claim, signal)
    storageKey = `${claim.jobId}/${claim.attempt}/audio.wav`
    const stored = await parts.storage.put(storageKey, wav, { contentType: AUDIO_TYPE })
    const contentType = AUDIO_TYPE
    const artifact: FinishedArtifact = { output: 'audio', storageKey, contentType, durationMs, chunks, ...stored }
    const finished = await untilAnswered(() => completeJob(parts.db, claim, artifact))
    if (!finished) await parts.storage.delete(storageKey)
  } catch (error) {
    if (signal.aborted) throw error
    const failure = failureOf(error)
    parts.log.warn({ jobId, attempt: claim.attempt, code: failure.code, cause: failure.message }, 'a job failed')
    await untilAnswered(() => failJob(parts.db, claim, failure))
    if (storageKey !== null) await parts.storage.delete(storageKey)
  }
}

/** Renders within the endpoint's time limit; the engine is told to stop when that is over or the job is taken away. */
async function render(
  parts: SynthesisParts,
  endpoint: VoiceEndpoint,
  claim: Claim,
  signal: AbortSignal,
): Promise<Spoken> {
  const limitMs = endpoint.timeLimitSeconds * 1000
  const limit = AbortSignal.timeout(limitMs)
  const deadline = performance.now() + limitMs
  const request = await speechRequest(parts, endpoint, claim, AbortSignal.any([signal, limit]))
  const progress = trackProgress((reached) => recordProgress(parts.db, claim, reached))
  try {
    return await parts.engines.use(endpoint.engine, (engine) =>
      speakText(engine, { ...request, deadline }, progress.note),
    )
  } catch (error) {
    if (limit.aborted && !signal.aborted) {
      throw new JobFailure('JOB_TIMEOUT', `the engine took longer than ${endpoint.timeLimitSeconds} s`)
    }
    throw error
  } finally {
    await progress.settled()
  }
}

function endpointOf(parts: SynthesisParts, claim: Claim): VoiceEndpoint {
  const endpoint = parts.catalog.current.endpoints.get(claim.endpointKey.slice('voice.'.length))
  if (endpoint === undefined)
    throw new JobFailure('RENDER_FAILED', 'the endpoint was deleted before a worker took the job')
  return endpoint
}

async function speechRequest(
  parts: SynthesisParts,
  endpoint: VoiceEndpoint,
  claim: Claim,
  signal: AbortSignal,
): Promise<SpeechRequest> {
  const { text, language, style_instruction, speed, seed, [endpoint.voiceInput]: voiceSlug, ...extra } = claim.inputs
  const voice = await loadVoice(parts.db, endpoint, String(voiceSlug))
  if (voice === null) throw new JobFailure('RENDER_FAILED', 'the voice was deleted before a worker took the job')
  return {
    text: String(text),
    voice,
    signal,
    extra,
    ...(typeof language === 'string' && { language }),
    ...(typeof style_instruction === 'string' && { styleInstruction: style_instruction }),
    ...(typeof speed === 'number' && { speed }),
    seed: typeof seed === 'number' ? seed : seedOf(claim.jobId),
  }
}

/** One seed a job, the same at every attempt: its chunks sound like one person. */
const seedOf = (jobId: string): number => createHash('sha256').update(jobId).digest().readUInt32BE() >>> 1

function failureOf(error: unknown): JobFailure {
  if (error instanceof JobFailure) return error
  if (error instanceof EngineError) return new JobFailure(error.code, error.message)
  return new JobFailure('INTERNAL_ERROR', error instanceof Error ? `${error.name}: ${error.message}` : 'unknown error')
}
