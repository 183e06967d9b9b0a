import type { Readable } from 'node:stream'

export interface Stored {
  readonly bytes: number
  readonly sha256: Uint8Array
}

export interface StoredFile {
  readonly bytes: number
  readonly modified: Date
}

interface PutOptions {
  readonly contentType: string
  readonly signal?: AbortSignal | undefined
  /** The object is read within minutes or never, so a power cut may lose it. */
  readonly isBrief?: boolean
}

interface UrlOptions {
  readonly contentType: string
  readonly now: Date
  readonly isDeleted?: boolean | undefined
}

/** Inclusive, as in RFC 9110. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Keeps artifacts. Keys are relative paths of `[a-z0-9_./-]` without `..`. */
export interface Storage {
  /** Stores the whole content or nothing and replaces an earlier object. */
  put(key: string, content: Uint8Array | Readable, options: PutOptions): Promise<Stored>
  /** Returns null if there is no file. */
  stat(key: string): Promise<StoredFile | null>
  /** @throws if there is no file */
  read(key: string, range?: ByteRange): Promise<Readable>
  /** A GET URL, valid for 15 minutes from `now`. That of a deleted artifact answers 410. */
  signUrl(key: string, options: UrlOptions): string | Promise<string>
  /** Succeeds for a missing file too. */
  delete(key: string): Promise<void>
  /** Deletes every key that starts with `folder/`. */
  deleteBelow(folder: string): Promise<void>
  /**
   * Puts and deletes a file of so many bytes. Without `bytes` it may only read, as versions pile up.
   * @throws Error with the reason
   */
  probe(bytes?: number): Promise<void>
}

export const SMALL_FILE_BYTES = 256 * 1024
const PIECE_BYTES = 2 ** 20

export const SIGNED_URL_SECONDS = 900

/** A store hashes and writes a large content piece by piece, so that other work goes on between two of them. */
export function* slicesOf(content: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < content.length; at += PIECE_BYTES) yield content.subarray(at, at + PIECE_BYTES)
}
