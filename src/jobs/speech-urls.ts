import { CAPTION_TYPES, type CaptionFormat } from '../audio/caption-format.ts'
import type { Parts } from '../context/context.ts'

/** Signs URLs of what this service makes while it is read, wherever files are stored. */
export interface SpeechUrls {
  /** @param path below `/media/`. Lives 15 minutes from `now` */
  sign(path: string, contentType: string, now: Date): string
}

/** What signing a job's URLs needs. */
export interface UrlParts extends Pick<Parts, 'storage' | 'now'> {
  readonly speechUrls: SpeechUrls
}

/** Where a job's captions are served, by its id. */
export const CAPTION_FOLDER = 'captions'

/** A signed URL of a job's captions, which are made when it is read. */
export const captionsUrlOf = ({ speechUrls, now }: UrlParts, jobId: string, format: CaptionFormat): string =>
  speechUrls.sign(`${CAPTION_FOLDER}/${jobId}.${format}`, CAPTION_TYPES[format], now())
