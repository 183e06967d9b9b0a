import { unzipSync } from 'fflate'
import { ImportError } from './blocks.ts'

/** All that is taken out of a file together: more is no book. */
const MAX_UNPACKED = 100_000_000
const BROKEN = 'The file is damaged, or protected by a password.'

/** The files in a ZIP whose names are wanted. @throws ImportError it is damaged, or unpacks into far more than a book has */
export function unzip(bytes: Uint8Array, isWanted: (name: string) => boolean): ReadonlyMap<string, Uint8Array> {
  let left = MAX_UNPACKED
  const filter = ({ name, originalSize }: { name: string; originalSize: number }): boolean => {
    if (!isWanted(name)) return false
    left -= originalSize
    if (left < 0) throw new ImportError('The file unpacks into far more than a book has.')
    return true
  }
  try {
    return new Map(Object.entries(unzipSync(bytes, { filter })))
  } catch (error) {
    throw error instanceof ImportError ? error : new ImportError(BROKEN)
  }
}
