import { createHash } from 'node:crypto'
import { loadVoice } from '../endpoints/load-voice.ts'
import type { VoiceEndpoint } from '../endpoints/voice-endpoint.ts'
import type { SpeechRequest } from '../engines/engine.ts'
import type { Engines } from '../engines/engines.ts'
import type { Claim } from '../jobs/claim-job.ts'
import { JobFailure } from '../jobs/job-states.ts'
import { type Produced, performJob, type WorkerParts } from '../jobs/perform-job.ts'
import { recordProgress } from '../jobs/record-progress.ts'
import { speakText } from './speak-text.ts'
import { trackProgress } from './track-progress.ts'

const AUDIO_TYPE = 'audio/wav'

export interface SynthesisParts extends WorkerParts {
  readonly engines: Engines
}

/**
 * A worker's whole way with one voice job: claim and charge, render, check, store, finish. Running it twice for one job is harmless.
 * @throws when the job must be delivered again: the database is away, or `signal` was aborted
 */
export const synthesize = (parts: SynthesisParts, jobId: string, signal: AbortSignal): Promise<void> =>
  performJob(parts, jobId, signal, (claim) => {
    const endpoint = endpointOf(parts, claim)
    return {
      timeLimitSeconds: endpoint.timeLimitSeconds,
      perform: (untilLimit) => render(parts, endpoint, claim, untilLimit),
    }
  })

async function render(
  parts: SynthesisParts,
  endpoint: VoiceEndpoint,
  claim: Claim,
  signal: AbortSignal,
): Promise<Produced> {
  const deadline = performance.now() + endpoint.timeLimitSeconds * 1000
  const request = await speechRequest(parts, endpoint, claim, signal)
  const progress = trackProgress((reached) => recordProgress(parts.db, claim, reached))
  try {
    const { wav, durationMs, chunks } = await parts.engines.use(endpoint.engine, (engine) =>
      speakText(engine, { ...request, deadline }, progress.note),
    )
    return {
      chunks,
      files: [{ output: 'audio', extension: '.wav', content: wav, contentType: AUDIO_TYPE, durationMs }],
    }
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
