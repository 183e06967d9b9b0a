import { useEffect } from 'preact/hooks'
import { toast } from '../../parts/toast.tsx'
import { ImportError } from '../import/blocks.ts'
import { readFile } from '../import/read-file.ts'
import { addParagraphs } from '../model/edit.ts'
import { paragraphOf } from '../model/project.ts'
import type { Studio } from './context.ts'
import type { Editor } from './editor.ts'
import { apply } from './paragraph-keys.ts'

const UNREADABLE = 'This file cannot be read.'
const UNKNOWN_LETTERS = 'This file does not say how its letters are written: bring it in under New project.'

/** A file that is dropped anywhere is read behind the paragraph there, or the last one: the browser would leave the page and open it. */
export function useDroppedFile({ editor }: Studio): void {
  useEffect(() => {
    const onDragOver = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
    }
    const onDrop = (event: DragEvent): void => {
      const [file] = event.dataTransfer?.files ?? []
      if (file === undefined || event.defaultPrevented) return
      event.preventDefault()
      if (document.querySelector('dialog[open]') !== null) return
      const row = (event.target as Element).closest<HTMLElement>('.para')
      void add(editor, row?.dataset.key ?? lastOf(editor), file)
    }
    addEventListener('dragover', onDragOver)
    addEventListener('drop', onDrop)
    return () => {
      removeEventListener('dragover', onDragOver)
      removeEventListener('drop', onDrop)
    }
  }, [editor])
}

/** The key of the last paragraph of the shown chapter; empty if it has none. */
function lastOf(editor: Editor): string {
  const { chapters } = editor.project.peek()
  return chapters.find(({ key }) => key === editor.chapterKey.peek())?.paragraphs.at(-1)?.key ?? ''
}

async function add(editor: Editor, key: string, file: File): Promise<void> {
  try {
    const { chapters, encoding } = await readFile(file.name, new Uint8Array(await file.arrayBuffer()))
    if (encoding !== undefined) throw new ImportError(UNKNOWN_LETTERS)
    const added = chapters.flatMap(({ paragraphs }) => paragraphs.map((text) => paragraphOf(text)))
    apply(editor, addParagraphs(editor.project.peek(), key, added))
  } catch (error) {
    toast(error instanceof ImportError ? error.message : UNREADABLE)
  }
}
