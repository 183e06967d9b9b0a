import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Checked, checkRecording } from './check-recording.ts'
import { JUDGED_SECONDS, type Loudness, loudnessOf } from './levels.ts'
import { type Choice, listMicrophones, type Microphone, openMicrophone } from './microphone.ts'
import { microphoneWords } from './microphone-words.ts'

/** The service takes 30 seconds: a slow reader learns by how much it was too long. */
const MOST_SECONDS = 45

export interface Meter {
  /** The highest amplitude of this moment, from 0 to 1. */
  readonly peak: number
  readonly loudness: Loudness
}

export interface Recording extends Checked {
  readonly sampleRate: number
}

/** The microphone is on while it is asked for, ready or recording, and at no other time. */
type Stage =
  | { readonly name: 'asking' | 'ready' | 'recording' }
  | { readonly name: 'failed'; readonly words: string }
  | { readonly name: 'done'; readonly recording: Recording }

export interface Recorder {
  readonly stage: Stage
  readonly microphones: readonly Choice[]
  readonly microphone: string
  readonly meter: Signal<Meter>
  /** So long it has recorded. */
  readonly seconds: Signal<number>
  readonly start: () => void
  readonly stop: () => void
  /** Turns a microphone on: the same one unless another is named. */
  readonly listen: (id?: string) => void
}

/** Records from a microphone, which is turned off when the component leaves the page. */
export function useRecorder(): Recorder {
  const [stage, setStage] = useState<Stage>({ name: 'asking' })
  const [wanted, setWanted] = useState<{ readonly id: string | null } | null>({ id: null })
  const { microphone, sound } = useMicrophone(wanted, setStage)
  const end = (next: Stage): void => {
    sound.blocks = null
    setWanted(null)
    setStage(next)
  }
  sound.onFull = () => {
    const { blocks, sampleRate } = sound
    if (blocks !== null) end({ name: 'done', recording: { ...checkRecording(joined(blocks), sampleRate), sampleRate } })
  }
  sound.onLost = (name) => end({ name: 'failed', words: microphoneWords(name) })
  const start = (): void => {
    sound.seconds.value = 0
    sound.blocks = []
    setStage({ name: 'recording' })
  }
  const listen = (id: string | null = microphone.id || null): void => setWanted({ id })
  const { meter, seconds } = sound
  return {
    ...{ stage, meter, seconds, start, stop: sound.onFull, listen },
    microphones: microphone.all,
    microphone: microphone.id,
  }
}

/** The sound as it comes in. */
interface Sound {
  /** Null: it does not record. */
  blocks: Float32Array[] | null
  sampleRate: number
  onFull: () => void
  onLost: (name: string) => void
  readonly meter: Signal<Meter>
  readonly seconds: Signal<number>
}

/** Keeps the wanted microphone on. */
function useMicrophone(wanted: { readonly id: string | null } | null, setStage: (stage: Stage) => void) {
  const [microphone, setMicrophone] = useState<{ readonly id: string; readonly all: readonly Choice[] }>(NONE)
  const sound = useSound()
  useEffect(() => {
    if (wanted === null) return
    let isLeft = false
    let opened: Microphone | null = null
    setStage({ name: 'asking' })
    const judge = judgeOf(sound)
    const onEnded = (): void => sound.onLost('Unplugged')
    const open = async (): Promise<void> => {
      const one = await openMicrophone({ id: wanted.id, onSamples: (samples) => judge(samples), onEnded })
      if (isLeft) return one.close()
      opened = one
      sound.sampleRate = one.sampleRate
      setMicrophone({ id: one.id, all: await listMicrophones() })
      if (!isLeft) setStage({ name: 'ready' })
    }
    open().catch((error: Error) => isLeft || sound.onLost(error.name))
    return () => {
      isLeft = true
      opened?.close()
    }
  }, [wanted])
  return { microphone, sound }
}

const NONE = { id: '', all: [] } as const

function useSound(): Sound {
  const meter = useSignal<Meter>({ peak: 0, loudness: 'silent' })
  const seconds = useSignal(0)
  return useRef<Sound>({ blocks: null, sampleRate: 0, onFull: () => {}, onLost: () => {}, meter, seconds }).current
}

/** Takes samples in, and judges their level over the last two seconds. */
function judgeOf(sound: Sound): (samples: Float32Array) => void {
  let recent: number[] = []
  return (samples) => {
    const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
    const most = Math.ceil((JUDGED_SECONDS * (sound.sampleRate || 48_000)) / samples.length)
    recent = [...recent, peak].slice(-most)
    sound.meter.value = { peak, loudness: loudnessOf(Math.max(...recent)) }
    if (sound.blocks === null) return
    sound.blocks.push(samples)
    sound.seconds.value += samples.length / sound.sampleRate
    if (sound.seconds.peek() >= MOST_SECONDS) sound.onFull()
  }
}

function joined(blocks: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(blocks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const block of blocks) {
    all.set(block, at)
    at += block.length
  }
  return all
}
