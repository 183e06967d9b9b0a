import { computed, signal } from '@preact/signals'
import { ownMedia } from '../../api/base.ts'
import { announce } from '../../parts/announce.ts'
import { volume } from '../../parts/use-source.ts'
import { allParagraphs, settingsOf } from '../model/project.ts'
import type { Editor } from './editor.ts'
import { chosenOf, neighbourOf } from './states.ts'
import { urlOf } from './takes.ts'

const PAUSE_MS = 400
const CHAPTER_PAUSE_MS = 1200

/** Plays parts of a project: one paragraph, or all from one on, with the silences between them. */
export class Hearing {
  readonly #editor: Editor
  readonly #audio = new Audio()
  readonly key = signal<string | null>(null)
  readonly isPlaying = signal(false)
  readonly isAll = signal(false)
  /** Signed ahead of time, so that the next paragraph comes without a gap. */
  #next: { readonly jobId: string; readonly url: Promise<string | null> } | null = null
  #pause: ReturnType<typeof setTimeout> | undefined
  #press = 0
  /** The paragraphs that could be heard when the present one began, which somebody may delete meanwhile. */
  #order: readonly string[] = []

  constructor(editor: Editor) {
    this.#editor = editor
    const audio = this.#audio
    audio.onended = () => this.#goOn()
    audio.onplay = () => {
      this.isPlaying.value = true
      for (const other of document.querySelectorAll('audio')) if (other !== audio) other.pause()
    }
    audio.onpause = () => {
      if (this.#pause === undefined) this.isPlaying.value = false
    }
  }

  /** The page's other sounds find and pause it. */
  begin(): void {
    document.body.append(this.#audio)
  }

  /** The paragraphs that can be heard, in their order. */
  readonly heard = computed(() => {
    void this.#editor.takes.changes.value
    return allParagraphs(this.#editor.project.value).filter(({ key }) => chosenOf(this.#takes(key)) !== undefined)
  })

  #keys(): readonly string[] {
    return this.heard.peek().map(({ key }) => key)
  }

  #takes(key: string) {
    return this.#editor.takes.of(key).peek()
  }

  one(key: string): void {
    this.isAll.value = false
    void this.#play(key)
  }

  /** From a paragraph on, or from the next one that can be heard. */
  all(from: string | null): void {
    const order = allParagraphs(this.#editor.project.peek()).map(({ key }) => key)
    const start = from === null ? 0 : Math.max(0, order.indexOf(from))
    const audible = new Set(this.heard.peek().map(({ key }) => key))
    const first = order.slice(start).find((key) => audible.has(key))
    if (first === undefined) return
    this.isAll.value = true
    void this.#play(first)
  }

  toggle(): void {
    if (this.key.peek() === null) return
    if (this.isPlaying.peek()) {
      clearTimeout(this.#pause)
      const wasBetween = this.#pause !== undefined
      this.#pause = undefined
      this.#audio.pause()
      this.isPlaying.value = false
      if (wasBetween) this.step(1, false)
    } else void this.#audio.play().catch(() => this.stop())
  }

  /** To the paragraph before or behind. */
  step(by: 1 | -1, isHeard = true): void {
    const key = this.key.peek()
    const next = key === null ? undefined : neighbourOf(key, by, this.#keys(), this.#order)
    if (next !== undefined) void this.#play(next, isHeard)
  }

  stop(): void {
    this.#press++
    clearTimeout(this.#pause)
    this.#pause = undefined
    this.#audio.pause()
    this.#audio.removeAttribute('src')
    this.key.value = null
    this.isPlaying.value = false
  }

  end(): void {
    this.stop()
    this.#audio.remove()
  }

  async #play(key: string, isHeard = true): Promise<void> {
    const press = ++this.#press
    clearTimeout(this.#pause)
    this.#pause = undefined
    const take = chosenOf(this.#takes(key))
    if (take === undefined) return this.stop()
    this.key.value = key
    this.#order = this.#keys()
    this.isPlaying.value = isHeard
    if (this.isAll.peek()) this.#showChapter(key)
    try {
      const url = await (this.#next?.jobId === take.jobId ? this.#next.url : urlOf(take.jobId))
      if (press !== this.#press) return
      if (url === null) throw new Error()
      this.#audio.src = ownMedia(url)
      this.#audio.volume = volume.peek()
      if (isHeard) await this.#audio.play()
      this.#lookAhead(key)
    } catch {
      if (press !== this.#press) return
      announce('A paragraph could not be played.')
      if (this.isAll.peek()) this.#goOn()
      else this.stop()
    }
  }

  /** The page turns with what is heard. */
  #showChapter(key: string): void {
    const { chapters } = this.#editor.project.peek()
    const chapter = chapters.find(({ paragraphs }) => paragraphs.some((one) => one.key === key))
    if (chapter !== undefined) this.#editor.chapterKey.value = chapter.key
  }

  #lookAhead(key: string): void {
    const next = neighbourOf(key, 1, this.#keys(), this.#order)
    const take = next === undefined ? undefined : chosenOf(this.#takes(next))
    if (!this.isAll.peek() || take === undefined) return
    const url = urlOf(take.jobId)
    url.catch(() => {})
    this.#next = { jobId: take.jobId, url }
  }

  #goOn(): void {
    const key = this.key.peek()
    const next = key === null ? undefined : neighbourOf(key, 1, this.#keys(), this.#order)
    if (!this.isAll.peek() || key === null || next === undefined) this.stop()
    else this.#pause = setTimeout(() => void this.#play(next), this.#silenceAfter(key))
  }

  #silenceAfter(key: string): number {
    const project = this.#editor.project.peek()
    for (const chapter of project.chapters) {
      const paragraph = chapter.paragraphs.find((one) => one.key === key)
      if (paragraph === undefined) continue
      const isLast = paragraph === chapter.paragraphs.at(-1)
      return settingsOf(project, chapter, paragraph).pauseMs ?? (isLast ? CHAPTER_PAUSE_MS : PAUSE_MS)
    }
    return PAUSE_MS
  }
}
