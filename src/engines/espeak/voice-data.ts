import { openSync, readSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { EspeakModule } from '@echogarden/espeak-ng-emscripten'

/** The dictionaries of all languages, 24 MB in one file. */
const FILE = '@echogarden/espeak-ng-emscripten/espeak-ng.data'

const pathOfData = (): string => createRequire(import.meta.url).resolve(FILE)

/** Memory for eSpeak's data, that threads share: each of them would have a copy of its own. It is empty, and takes none before it is read into. */
export const reserveVoiceData = (): SharedArrayBuffer => new SharedArrayBuffer(statSync(pathOfData()).size)

/** The data as eSpeak takes it: it asks for an ArrayBuffer by that name, and only reads it. */
export function asPackage(shared: SharedArrayBuffer): ArrayBuffer {
  Object.defineProperty(shared, 'constructor', { value: ArrayBuffer })
  return shared as unknown as ArrayBuffer
}

/**
 * Reads each of the module's files once it opens it: a voice needs one or two of a hundred dictionaries. Its thread waits for that; another
 * one that opens the same file reads the same bytes to the same place.
 */
export function readWhenOpened({ FS }: EspeakModule, shared: SharedArrayBuffer): void {
  const data = openSync(pathOfData(), 'r')
  const read = new Set<number>()
  const open = FS.open.bind(FS)
  FS.open = (...how) => {
    const stream = open(...how)
    const { contents } = stream.node
    if (contents?.buffer === shared && !read.has(contents.byteOffset)) {
      readInto(contents, data)
      read.add(contents.byteOffset)
    }
    return stream
  }
}

/** A file's place in the memory is its place in the data. */
function readInto(contents: Uint8Array, data: number): void {
  for (let done = 0; done < contents.length; ) {
    const count = readSync(data, contents, done, contents.length - done, contents.byteOffset + done)
    if (count === 0) throw new Error('the data of eSpeak NG ends early')
    done += count
  }
}
