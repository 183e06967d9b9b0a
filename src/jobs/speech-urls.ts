import { CAPTION_TYPES, type CaptionFormat } from '../audio/caption-format.ts'
import type { Parts } from '../context/context.ts'

/** Signs URLs of speech and captions that the service makes while a client reads. */
export interface SpeechUrls {
  /**
   * Valid for 15 minutes.
   * @param path below `/media/`
   */
  sign(path: string, contentType: string, now: Date): string
}

export interface UrlParts extends Pick<Parts, 'storage' | 'now'> {
  readonly speechUrls: SpeechUrls
}

export const CAPTION_FOLDER = 'captions'

export const captionsUrlOf = ({ speechUrls, now }: UrlParts, jobId: string, format: CaptionFormat): string =>
  speechUrls.sign(`${CAPTION_FOLDER}/${jobId}.${format}`, CAPTION_TYPES[format], now())
