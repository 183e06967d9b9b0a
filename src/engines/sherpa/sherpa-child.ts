import { createRequire } from 'node:module'
import { stretch } from '../espeak/stretch.ts'

// Runs as a process of its own, because the library often ends its process.

const PACKAGE = 'sherpa-onnx-node'
/** Its words for a platform whose own package is not installed. */
const NO_PLATFORM = 'Could not find sherpa-onnx-node'
const FULL_SCALE = 32_767

export type SherpaAsk =
  | { readonly load: object }
  | {
      readonly speak: {
        readonly text: string
        readonly options: Readonly<Record<string, unknown>>
        readonly pace: number
      }
    }

/** `bytes` is the memory that the process holds. */
export type SherpaAnswer =
  | { readonly loaded: { readonly speakers: number; readonly bytes: number } }
  | { readonly spoken: { readonly samples: Float32Array; readonly sampleRate: number; readonly bytes: number } }
  | { readonly failed: string; readonly isMissing?: true }

interface Audio {
  readonly samples: Float32Array
  readonly sampleRate: number
}

interface Tts {
  readonly numSpeakers: number
  readonly sampleRate: number
  generateAsync(request: object): Promise<Audio>
}

interface Library {
  readonly OfflineTts: { createAsync(config: object): Promise<Tts> }
}

let tts: Tts | undefined

async function answer(ask: SherpaAsk): Promise<SherpaAnswer> {
  if ('load' in ask) return load(ask.load)
  if (tts === undefined) return { failed: 'no model is loaded' }
  const { text, options, pace } = ask.speak
  // The library may free an external buffer.
  const spoken = await tts.generateAsync({ text, enableExternalBuffer: false, ...options })
  const samples = atPace(spoken, pace)
  return { spoken: { samples, sampleRate: spoken.sampleRate, bytes: process.memoryUsage.rss() } }
}

function atPace({ samples, sampleRate }: Audio, pace: number): Float32Array {
  if (pace === 1) return samples
  const whole = Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * FULL_SCALE))
  return Float32Array.from(stretch(whole, sampleRate, pace), (sample) => sample / FULL_SCALE)
}

async function load(config: object): Promise<SherpaAnswer> {
  const library = findLibrary()
  if (library === null) return { failed: `the package ${PACKAGE} is not installed`, isMissing: true }
  // The synchronous constructor ends the process for such errors.
  tts = await library.OfflineTts.createAsync(config)
  return { loaded: { speakers: tts.numSpeakers, bytes: process.memoryUsage.rss() } }
}

function findLibrary(): Library | null {
  try {
    return createRequire(import.meta.url)(PACKAGE) as Library
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'MODULE_NOT_FOUND' || message.startsWith(NO_PLATFORM)) return null
    throw error
  }
}

process.on('message', (ask: SherpaAsk) => {
  answer(ask)
    .catch((error: unknown): SherpaAnswer => ({ failed: error instanceof Error ? error.message : String(error) }))
    .then((heard) => process.send?.(heard))
})
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
