import { useRef } from 'preact/hooks'
import { isolated } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { type Entry, readFile, toFile } from './entries.ts'

interface FileMenuProps {
  readonly entries: readonly Entry[]
  readonly onFile: (entries: readonly Entry[]) => void
  /** A file that cannot be read, as a sentence. */
  readonly onWrong: (sentence: string) => void
}

/** The lexicon from a file, and into one. */
export function FileMenu({ entries, onFile, onWrong }: FileMenuProps) {
  const input = useRef<HTMLInputElement>(null)
  const read = async (file: File | undefined): Promise<void> => {
    if (input.current !== null) input.current.value = ''
    if (file === undefined) return
    try {
      onFile(readFile(await file.text()))
    } catch (error) {
      onWrong(`${isolated(file.name)}: ${(error as Error).message}`)
    }
  }
  return (
    <>
      <button type="button" class="button" onClick={() => input.current?.click()}>
        Import
      </button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="Lexicon file"
        accept="application/json,.json"
        onChange={(event) => void read(event.currentTarget.files?.[0])}
      />
      <button type="button" class="button" aria-disabled={entries.length === 0} onClick={() => download(entries)}>
        <Icon name="download" /> Export
      </button>
    </>
  )
}

function download(entries: readonly Entry[]): void {
  const url = URL.createObjectURL(new Blob([toFile(entries)], { type: 'application/json' }))
  const link = Object.assign(document.createElement('a'), { href: url, download: 'lexicon.json' })
  link.click()
  URL.revokeObjectURL(url)
}
