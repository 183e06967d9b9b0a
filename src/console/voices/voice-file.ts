const MAX_BYTES = 10 * 1024 * 1024
const MIN_SECONDS = 1
/** Silence at its ends does not count, so that a file may be somewhat longer than what the service takes of it. */
const MAX_SECONDS = 60
const MPEG4 = /\.(m4a|mp4|aac|m4b)$/i

/** Says in a sentence why a file does not fit, before the upload; null: the service will check it. */
export function wrongFile({ name, size }: { readonly name: string; readonly size: number }): string | null {
  if (size === 0) return 'This file is empty.'
  if (size > MAX_BYTES) return 'This file is larger than 10 MiB: 30 seconds of speech are enough.'
  if (MPEG4.test(name)) return 'MPEG-4 and AAC are not read here: choose WAV, FLAC, MP3, Ogg Opus or WebM.'
  return null
}

/** Says in a sentence why a recording's length does not fit; null if it is unknown or may fit. */
export function wrongLength(seconds: number | null): string | null {
  if (seconds === null || (seconds >= MIN_SECONDS && seconds <= MAX_SECONDS)) return null
  return `This recording lasts ${seconds.toFixed(1)} seconds: choose one of 1 to 30 seconds.`
}

/** How long a file plays, as far as this browser can tell. */
export async function secondsOf(file: Blob): Promise<number | null> {
  try {
    const { duration } = await new OfflineAudioContext(1, 1, 24_000).decodeAudioData(await file.arrayBuffer())
    return duration
  } catch {
    return null
  }
}

/** The name of a voice that its file suggests: `anna_smith-2.wav` is "anna smith 2". */
export const nameOf = (file: string): string =>
  file
    .replace(/\.\w{1,5}$/, '')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
