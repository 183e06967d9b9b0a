import { BadAudio, EngineError, FailedAttempt, UnfitVoice } from '../../engines/engine.ts'

/** Each kind of failure of an engine: its meaning, and in one sentence what the operator can do. */
export const FAILURES = {
  no_worker: {
    meaning: "No living worker takes the endpoint's jobs, which wait.",
    advice: 'Start "sonant work" with the pool of the endpoint.',
  },
  no_server: {
    meaning: 'No living worker of the pool owns a server.',
    advice: 'Start the worker with --server FILE, so that it owns a server.',
  },
  server: {
    meaning: "The worker's own server has ended, or is unwell.",
    advice: 'Correct what the last lines of the server say; its worker starts it again by itself.',
  },
  unreachable: {
    meaning: 'The server does not answer.',
    advice: 'Start the server, or correct its address in the endpoint file; the jobs go on by themselves.',
  },
  broken: {
    meaning: 'The server answers, but fails to speak.',
    advice: "Read the server's own log, and start it again if it does not recover.",
  },
  refused: {
    meaning: 'The server refuses this service: its key, its model or its unpaid account.',
    advice:
      'Set the variable that api_key_env names where the workers run, install the model or pay the account, or correct the address of the server.',
  },
  rejected: {
    meaning: 'The server or the model rejects a plain sentence.',
    advice: 'Compare the model and the voices of the endpoint file with those that the server has.',
  },
  bad_audio: {
    meaning: 'The engine answers with something that is no speech.',
    advice: 'Listen to the engine outside of this service, and start it again or give it another model.',
  },
  late: {
    meaning: 'The engine takes too long for a sentence.',
    advice: 'Give the engine a faster machine or fewer requests at once, and look whether something hangs.',
  },
  voices_missing: {
    meaning: 'The engine lacks voices of the endpoint.',
    advice: 'Give the engine these voices, or leave them out of the endpoint file.',
  },
  model: {
    meaning: 'The model cannot be loaded where the worker runs.',
    advice:
      'Put the files that are named into the model directory of each worker, or pull the model with "sonant models pull".',
  },
} as const

export type EngineFailure = keyof typeof FAILURES

/**
 * Null: a full server, or a text or a voice that this engine rejects.
 * @param isPlain the text is one that every engine speaks
 */
export function failureOf(error: unknown, kind: string, isPlain = false): EngineFailure | null {
  if ((error as { name?: unknown } | null)?.name === 'TimeoutError') return 'late'
  if (error instanceof BadAudio) return isPlain ? 'bad_audio' : null
  if (!(error instanceof EngineError)) return 'broken'
  if (error.code === 'PROVIDER_BUSY') return null
  if (error.code === 'RENDER_FAILED') return isPlain ? 'rejected' : null
  if (error instanceof UnfitVoice) return null
  if (error instanceof FailedAttempt) return 'broken'
  if (kind === 'sherpa-onnx') return 'model'
  if (error.code === 'INTERNAL_ERROR') return 'refused'
  return kind === 'openai-speech' && error.cause !== undefined ? 'unreachable' : 'broken'
}
