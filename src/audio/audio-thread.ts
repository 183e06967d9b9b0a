import { parentPort } from 'node:worker_threads'
import { lowerThreadPriority } from '../values/thread.ts'
import { decode } from './decode.ts'
import { encodeFile, mp3Bytes, startEncoding } from './encode.ts'
import type { Encoding, EncodingOptions } from './encoding.ts'
import type { FileFormat } from './format.ts'
import { libavBytes } from './libav.ts'
import { type Judgement, judgeRecording, readRecording, readSound } from './read-recording.ts'
import { resampled } from './resample.ts'
import type { SoundKind } from './sound-kind.ts'
import type { Wav } from './wav.ts'

const VOICE_RATE = 24_000

/** `stream` names a file that is encoded bit by bit. */
export type AudioTask =
  | { readonly kind: 'start'; readonly stream: number; readonly options: EncodingOptions }
  | { readonly kind: 'push'; readonly stream: number; readonly samples: Int16Array; readonly isLast: boolean }
  | { readonly kind: 'drop'; readonly stream: number }
  | { readonly kind: 'encode'; readonly samples: Int16Array; readonly options: EncodingOptions }
  | { readonly kind: 'decode'; readonly bytes: Uint8Array; readonly format: FileFormat }
  | { readonly kind: 'judge'; readonly bytes: Uint8Array }
  | { readonly kind: 'read'; readonly bytes: Uint8Array; readonly of: SoundKind; readonly mostSeconds: number }

export type AudioResult = Uint8Array<ArrayBuffer> | Wav | Judgement | null

/** In the order of the tasks, but for whole files. `heapBytes` is the memory of the libraries and encoders. */
export type AudioAnswer = { readonly id: number; readonly heapBytes: number } & (
  | { readonly result: AudioResult }
  | { readonly error: string }
)

const streams = new Map<number, Encoding>()
let last: Promise<void> = Promise.resolve()

lowerThreadPriority()
parentPort?.on('message', ({ id, task }: { id: number; task: AudioTask }) => {
  // A whole file lets pieces of others pass, because somebody may hear these.
  if (task.kind === 'encode') void answer(id, task)
  // Samples follow at once, while the file's library may still open.
  else last = last.then(() => answer(id, task))
})

async function answer(id: number, task: AudioTask): Promise<void> {
  try {
    const result = await perform(task)
    reply({ id, result, heapBytes: heapBytes() }, result instanceof Uint8Array ? [result.buffer] : [])
  } catch (error) {
    reply({ id, error: (error as Error).message, heapBytes: heapBytes() })
  }
}

const reply = (answer: AudioAnswer, own: ArrayBuffer[] = []): void => parentPort?.postMessage(answer, own)

const heapBytes = (): number => libavBytes() + mp3Bytes()

async function perform(task: AudioTask): Promise<AudioResult> {
  switch (task.kind) {
    case 'start':
      streams.set(task.stream, await startEncoding(task.options))
      return null
    case 'push':
      return push(task.stream, task.samples, task.isLast)
    case 'drop':
      drop(task.stream)
      return null
    case 'encode':
      return encodeFile(task.samples, task.options)
    case 'decode':
      return decode(task.bytes, task.format)
    case 'judge':
      return judge(task.bytes)
    case 'read':
      return readSound(task.bytes, task.of, task.mostSeconds)
  }
}

async function judge(bytes: Uint8Array): Promise<Judgement> {
  const judged = judgeRecording(await readRecording(bytes))
  return 'wav' in judged ? { wav: await resampled(judged.wav, VOICE_RATE) } : judged
}

function push(stream: number, samples: Int16Array, isLast: boolean): AudioResult {
  const encoding = streams.get(stream)
  if (encoding === undefined) throw new Error('This file has ended.')
  const bytes = encoding.push(samples, isLast)
  if (isLast) drop(stream)
  return bytes
}

function drop(stream: number): void {
  streams.get(stream)?.close()
  streams.delete(stream)
}
