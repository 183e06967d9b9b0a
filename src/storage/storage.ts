import type { Readable } from 'node:stream'

/** What was stored: its length in bytes and the SHA-256 of its content. */
export interface Stored {
  readonly bytes: number
  readonly sha256: Uint8Array
}

/** What is under a key: its length in bytes, and when it was put there. */
export interface StoredFile {
  readonly bytes: number
  readonly modified: Date
}

interface PutOptions {
  readonly contentType: string
  /** Ends the waiting for a store that is away. */
  readonly signal?: AbortSignal | undefined
  /** The folder of the key is deleted as a whole one day: what a crash leaves in it goes with it. */
  readonly hasOwnFolder?: boolean
}

interface UrlOptions {
  readonly contentType: string
  readonly now: Date
  readonly isDeleted?: boolean | undefined
}

/** An inclusive range of bytes, as in RFC 9110. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Keeps artifacts. Keys are relative paths of `[a-z0-9_./-]`, without `..`. */
export interface Storage {
  /** Stores the whole content or nothing: a reader never sees half of it. Storing the same key again replaces it. */
  put(key: string, content: Uint8Array | Readable, options: PutOptions): Promise<Stored>
  /** What is there, or null where there is nothing. */
  stat(key: string): Promise<StoredFile | null>
  /** Streams the content or one range of it. @throws when there is nothing under the key. */
  read(key: string, range?: ByteRange): Promise<Readable>
  /** An absolute URL that answers GET, and HEAD where the store can, for 15 minutes from `now`. `contentType` is what it is served as.
   * Of a deleted artifact it leads to the service itself, which answers 410. */
  signUrl(key: string, options: UrlOptions): string | Promise<string>
  /** Deleting what is not there is fine. */
  delete(key: string): Promise<void>
  /** Deletes every object with a key that starts with the folder's and a slash. */
  deleteBelow(folder: string): Promise<void>
  /**
   * Whether the store is there and takes files: puts one of so many bytes and deletes it. Without `bytes`, a bucket whose keys may read is
   * only asked, as its versions would pile up.
   * @throws Error with the reason in words
   */
  probe(bytes?: number): Promise<void>
  close(): Promise<void>
}

/** About a sentence of speech. */
export const SMALL_FILE_BYTES = 256 * 1024

/** How long a signed URL lives. */
export const SIGNED_URL_SECONDS = 900
