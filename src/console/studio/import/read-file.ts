import { bounded, ImportError, type Imported, outlined } from './blocks.ts'
import { plainBlocks } from './plain-text.ts'
import { subtitleBlocks } from './subtitles.ts'
import { decodeText, encodingOf, GUESSED_ENCODING } from './text-file.ts'

/** Larger ones are no text. */
const MAX_FILE = 50_000_000
export const ACCEPTED = '.txt,.md,.markdown,.docx,.epub,.srt,.vtt'
/** How files begin that Word has locked with a password, or written before 2007. */
const OLD_OFFICE = [0xd0, 0xcf, 0x11, 0xe0]

/** A book and a Word document say how they are written. */
const PACKED = new Set(['docx', 'epub'])

/**
 * The text of a file in chapters and paragraphs, by the ending of its name. Pure.
 * @param chosen the encoding of a text that does not say its own
 * @throws ImportError with a sentence that says why not
 */
export async function readFile(name: string, bytes: Uint8Array, chosen?: string): Promise<Imported> {
  if (bytes.length === 0) throw new ImportError('The file is empty.')
  if (bytes.length > MAX_FILE) throw new ImportError('The file is larger than 50 MB: part it.')
  const ending = endingOf(name)
  const encoding = PACKED.has(ending) || encodingOf(bytes) !== null ? undefined : (chosen ?? GUESSED_ENCODING)
  const { name: title, chapters } = await readKind(ending, bytes, encoding)
  const read = { name: title === '' ? nameOf(name) : title, chapters: bounded(chapters) }
  return encoding === undefined ? read : { ...read, encoding }
}

/** Reads a pasted text as a file of text. @throws ImportError */
export function readPasted(text: string): Imported {
  const { name, chapters } = outlined(plainBlocks(text))
  return { name, chapters: bounded(chapters) }
}

async function readKind(ending: string, bytes: Uint8Array, encoding: string | undefined): Promise<Imported> {
  switch (ending) {
    case 'docx':
      return outlined(await readDocx(bytes))
    case 'epub':
      return await readBook(bytes)
    case 'md':
    case 'markdown': {
      const { markdownBlocks } = await import('./markdown.ts')
      return outlined(markdownBlocks(decodeText(bytes, encoding)))
    }
    case 'srt':
    case 'vtt':
      return outlined(subtitleBlocks(decodeText(bytes, encoding)))
    case 'txt':
    case 'text':
    case '':
      return outlined(plainBlocks(decodeText(bytes, encoding)))
    default:
      throw new ImportError('Choose a text, Word, EPUB, Markdown or subtitle file: .txt, .docx, .epub, .md or .srt.')
  }
}

async function readDocx(bytes: Uint8Array) {
  if (OLD_OFFICE.every((byte, at) => bytes[at] === byte))
    throw new ImportError(
      'The document is locked with a password, or older than Word 2007: save it as .docx without one.',
    )
  const [{ unzip }, { docxBlocks, isDocxPart }] = await Promise.all([import('./zip.ts'), import('./docx.ts')])
  return docxBlocks(unzip(bytes, isDocxPart))
}

async function readBook(bytes: Uint8Array): Promise<Imported> {
  const [{ unzip }, { isEpubPart, readEpub }] = await Promise.all([import('./zip.ts'), import('./epub.ts')])
  return readEpub(unzip(bytes, isEpubPart))
}

const endingOf = (name: string): string =>
  (name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '').toLowerCase()

const nameOf = (name: string): string => name.replace(/\.[^.]*$/, '').slice(0, 200) || 'Untitled'
