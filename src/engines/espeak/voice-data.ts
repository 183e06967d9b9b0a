import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { EspeakModule } from '@echogarden/espeak-ng-emscripten'

const FILE = '@echogarden/espeak-ng-emscripten/espeak-ng.data'

/** One copy for all threads of the process. */
export interface VoiceData {
  /** Empty until files are read; a byte's place is its place in the file. */
  readonly memory: SharedArrayBuffer
  /** Kept open, because an upgrade may replace the file. */
  readonly file: number
}

export function openVoiceData(): VoiceData {
  const file = openSync(createRequire(import.meta.url).resolve(FILE), 'r')
  return { memory: new SharedArrayBuffer(fstatSync(file).size), file }
}

export const closeVoiceData = ({ file }: VoiceData): void => closeSync(file)

/** eSpeak asks for an ArrayBuffer and only reads it. */
export function asPackage({ memory }: VoiceData): ArrayBuffer {
  Object.defineProperty(memory, 'constructor', { value: ArrayBuffer })
  return memory as unknown as ArrayBuffer
}

/** Reads a file of the module when eSpeak opens it. Two threads may write the same bytes to the same place. */
export function readWhenOpened({ FS }: EspeakModule, { memory, file }: VoiceData): void {
  const read = new Set<number>()
  const open = FS.open.bind(FS)
  FS.open = (...how) => {
    const stream = open(...how)
    const { contents } = stream.node
    if (contents?.buffer === memory && !read.has(contents.byteOffset)) {
      readInto(contents, file)
      read.add(contents.byteOffset)
    }
    return stream
  }
}

function readInto(contents: Uint8Array, file: number): void {
  for (let done = 0; done < contents.length; ) {
    const count = readSync(file, contents, done, contents.length - done, contents.byteOffset + done)
    if (count === 0) throw new Error('the data of eSpeak NG ends early')
    done += count
  }
}
