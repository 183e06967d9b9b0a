import { nextTurn } from '../concurrency/next-turn.ts'
import type { Tx } from '../db/database.ts'
import type { Cast, Chapter } from './content.ts'
import { chosenOf, fingerprintOf, loadTakesOf, type Take } from './takes.ts'

/** Contents of so many characters are read together; a larger one by itself. */
const MAX_CHARACTERS = 2_000_000

const FIND_SIZES = `select id, characters, json_array_length(chapters) as "chapterCount" from project where id = any($1::text[])`
const FIND_CONTENTS = `select id, settings, speakers, chapters from project where id = any($1::text[])`

/** A project's chapters, and its paragraphs of which the take that plays says what they are now. */
export interface ProjectShare {
  readonly chapterCount: number
  readonly spokenCount: number
}

interface Size {
  readonly id: string
  readonly characters: number
  readonly chapterCount: number
}

interface Contents extends Cast {
  readonly id: string
  readonly chapters: readonly Chapter[]
}

/** Four statements for a page of projects, unless their texts are long. */
export async function loadShares(db: Pick<Tx, 'query'>, ids: readonly string[]): Promise<Map<string, ProjectShare>> {
  const { rows: sizes } = await db.query<Size>(FIND_SIZES, [ids])
  const shares = new Map<string, ProjectShare>()
  for (const group of grouped(sizes)) {
    const own = group.map(({ id }) => id)
    const { rows: contents } = await db.query<Contents>(FIND_CONTENTS, [own])
    const takes = await loadTakesOf(db, own)
    const spoken = new Map<string, number>()
    for (const content of contents) {
      spoken.set(content.id, spokenIn(content, takes.get(content.id)))
      // Others wait while the texts of one project are hashed, but not while those of all are.
      await nextTurn()
    }
    for (const { id, chapterCount } of group) shares.set(id, { chapterCount, spokenCount: spoken.get(id) ?? 0 })
  }
  return shares
}

function grouped(sizes: readonly Size[]): Size[][] {
  const groups: Size[][] = []
  let characters = Number.POSITIVE_INFINITY
  for (const size of sizes) {
    characters += size.characters
    if (characters > MAX_CHARACTERS) {
      groups.push([])
      characters = size.characters
    }
    groups.at(-1)!.push(size)
  }
  return groups
}

const spokenIn = (content: Contents, takes: ReadonlyMap<string, readonly Take[]> = new Map()): number =>
  content.chapters.reduce((sum, chapter) => sum + spokenOf(content, chapter, takes), 0)

/** The number of paragraphs of a chapter of which the take that plays says what they are now. */
export const spokenOf = (cast: Cast, chapter: Chapter, takes: ReadonlyMap<string, readonly Take[]>): number =>
  chapter.paragraphs.filter((paragraph) => {
    const fingerprint = chosenOf(takes.get(paragraph.key))?.fingerprint
    return fingerprint !== undefined && fingerprint === fingerprintOf(cast, chapter, paragraph)
  }).length
