import captureUrl from './capture.ts?worker&url'

/** The browser would mend for calls what is a part of the voice. */
const UNTOUCHED = { echoCancellation: false, autoGainControl: false, noiseSuppression: false, channelCount: 1 } as const

const GONE: ReadonlySet<string> = new Set(['OverconstrainedError', 'NotFoundError'])

export interface Microphone {
  readonly id: string
  readonly sampleRate: number
  /** Turns it off, and with it the browser's sign that a page listens. */
  readonly close: () => void
}

interface Listening {
  /** Null: the system's. */
  readonly id: string | null
  readonly onSamples: (samples: Float32Array) => void
  /** It was unplugged, or its permission was taken back. */
  readonly onEnded: () => void
}

/** Asks for a microphone and hands over its samples. @throws DOMException, Error named InsecurePage */
export async function openMicrophone({ id, onSamples, onEnded }: Listening): Promise<Microphone> {
  // Browsers leave it out of pages that came over an open line.
  if (!navigator.mediaDevices) throw Object.assign(new Error(), { name: 'InsecurePage' })
  const stream = await streamOf(id)
  const [track] = stream.getAudioTracks()
  const context = new AudioContext()
  const close = (): void => {
    for (const one of stream.getTracks()) one.stop()
    void context.close()
  }
  try {
    await context.audioWorklet.addModule(captureUrl)
    const capture = new AudioWorkletNode(context, 'capture', { channelCount: 1, channelCountMode: 'explicit' })
    capture.port.onmessage = ({ data }: MessageEvent<Float32Array>) => onSamples(data)
    context.createMediaStreamSource(stream).connect(capture)
    // Some browsers run only what leads to the loudspeaker; it gets silence.
    capture.connect(context.destination)
    await context.resume()
  } catch (error) {
    close()
    throw error
  }
  track?.addEventListener('ended', onEnded)
  return { id: track?.getSettings().deviceId ?? '', sampleRate: context.sampleRate, close }
}

/** The system's microphone stands in for one that is gone. */
async function streamOf(id: string | null): Promise<MediaStream> {
  const audio = id === null ? UNTOUCHED : { ...UNTOUCHED, deviceId: { exact: id } }
  return navigator.mediaDevices.getUserMedia({ audio }).catch((error: Error) => {
    if (id === null || !GONE.has(error.name)) throw error
    return navigator.mediaDevices.getUserMedia({ audio: UNTOUCHED })
  })
}

export interface Choice {
  readonly id: string
  readonly name: string
}

/** The microphones, whose names the browser tells once one of them may be used. */
export async function listMicrophones(): Promise<readonly Choice[]> {
  const devices = await navigator.mediaDevices.enumerateDevices()
  return devices
    .filter(({ kind }) => kind === 'audioinput')
    .map(({ deviceId, label }, place) => ({ id: deviceId, name: label || `Microphone ${place + 1}` }))
}
