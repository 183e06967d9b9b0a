import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { ApiError, asApiError, isUncertain } from '../../api/api-error.ts'
import { ask } from '../../api/ask.ts'
import { comebacks, isHeld } from '../../api/follow.ts'
import { projectRevision, saveProject } from '../../operations.ts'
import { changeParagraph } from '../model/edit.ts'
import { begun, caretOf, changed, ended, type History, redone, typingKey, undone } from '../model/history.ts'
import { allParagraphs, areSame, type Caret, isWritten, type Project } from '../model/project.ts'
import { changesOf, nextStep, withChanges } from '../model/save.ts'
import { keepChanges, takeKeptChanges } from './kept-changes.ts'
import { loadProject, type Opened } from './open-project.ts'
import { Takes } from './takes.ts'

/** After the last letter. */
const STILL_MS = 1200
const KEEP_MS = 300
const RETRY_MS = 5000

/** A project that was left may be saved at this moment: one that is opened waits for that. */
export let lastLeft: Promise<void> = Promise.resolve()

type SaveVariables = Parameters<NonNullable<typeof saveProject.types>>[0]

/** Somebody else has saved the project since this page has read it, or deleted it. */
interface Conflict {
  readonly savedBy: string | null
  /** Null: it was deleted. */
  readonly theirs: Opened | null
}

const UNSAVED = {
  deleted: 'This project was deleted while it was open here: keep yours as a copy first.',
  other: 'Somebody else has saved this project while you were changing it: decide first which text is to stay.',
  held: 'Sign in again first: the last changes are not saved.',
}

/** A project that is open: its text with what can be undone, its takes, and how it is saved. */
export class Editor {
  readonly id: string
  readonly takes: Takes
  readonly #history: Signal<History>
  readonly #saved: Signal<Opened>
  readonly project: ReadonlySignal<Project>
  readonly canUndo: ReadonlySignal<boolean>
  readonly canRedo: ReadonlySignal<boolean>
  readonly isSaved: ReadonlySignal<boolean>
  readonly failure = signal<ApiError | null>(null)
  readonly conflict = signal<Conflict | null>(null)
  /** The chapter that is shown. */
  readonly chapterKey: Signal<string>
  /** The paragraph that has the caret, or had it last. */
  readonly active = signal<string | null>(null)
  /** The caret is put there once that is drawn. */
  readonly focus = signal<Caret | null>(null)
  #saving: Promise<void> | null = null
  /** Sent, and not answered: the service may have one of them. */
  #unanswered: Project[] = []
  #saveTimer: ReturnType<typeof setTimeout> | undefined
  #keepTimer: ReturnType<typeof setTimeout> | undefined
  readonly #stops: (() => void)[] = []

  constructor(opened: Opened) {
    this.id = opened.id
    this.#saved = signal(opened)
    this.#history = signal(begun(opened.project))
    this.project = computed(() => this.#history.value.project)
    this.canUndo = computed(() => this.#history.value.past.length > 0)
    this.canRedo = computed(() => this.#history.value.future.length > 0)
    this.isSaved = computed(() => changesOf(this.#saved.value.project, this.project.value) === null)
    this.chapterKey = signal(opened.project.chapters[0]?.key ?? '')
    this.takes = new Takes(this.id, () => this.#saved.peek().project)
  }

  get revision(): number {
    return this.#saved.peek().revision
  }

  /** Goes on with what was not saved when this project was left. */
  begin(): void {
    this.#stops.push(this.takes.follow())
    const keepNow = (): void => this.#keep()
    addEventListener('pagehide', keepNow)
    this.#stops.push(() => removeEventListener('pagehide', keepNow))
    this.#stops.push(comebacks.subscribe(() => this.#onComeback()))
    const kept = takeKeptChanges(this.id)
    if (kept === null) return
    const { revision, project } = this.#saved.peek()
    const mine = withChanges(project, kept.changes)
    this.change(mine)
    if (kept.revision === revision) return
    // Somebody has saved since: the next save would be refused, so the user is told at once.
    clearTimeout(this.#saveTimer)
    this.conflict.value = { savedBy: null, theirs: this.#saved.peek() }
  }

  end(): void {
    clearTimeout(this.#keepTimer)
    this.#keep()
    for (const stop of this.#stops) stop()
    lastLeft = this.flush().catch(() => {})
  }

  /** @param key changes with the same one are undone as one */
  change(project: Project, key: string | null = null): void {
    this.#put(changed(this.#history.peek(), project, key))
  }

  /** @param inputType of the event */
  setText(key: string, text: string, inputType: string): void {
    this.change(changeParagraph(this.project.peek(), key, { text }), typingKey(key, inputType))
  }

  /** The next letter begins a step of its own. */
  endStep(): void {
    this.#history.value = ended(this.#history.peek())
  }

  /** @returns where something has changed */
  undo(): Caret | null {
    return this.#turn(undone(this.#history.peek()))
  }

  /** @returns where something has changed */
  redo(): Caret | null {
    return this.#turn(redone(this.#history.peek()))
  }

  #turn(history: History | null): Caret | null {
    const before = this.project.peek()
    this.#put(history)
    return caretOf(before, this.project.peek())
  }

  #put(history: History | null): void {
    if (history === null || history === this.#history.peek()) return
    this.#history.value = history
    if (history.project.chapters.every(({ key }) => key !== this.chapterKey.peek()))
      this.chapterKey.value = history.project.chapters[0]?.key ?? ''
    clearTimeout(this.#keepTimer)
    this.#keepTimer = setTimeout(() => this.#keep(), KEEP_MS)
    this.#plan(STILL_MS)
  }

  #keep(): void {
    const { project, revision } = this.#saved.peek()
    const changes = changesOf(project, this.project.peek())
    keepChanges(this.id, changes === null ? null : { revision, changes })
  }

  #plan(ms: number): void {
    clearTimeout(this.#saveTimer)
    if (this.conflict.peek() !== null) return
    this.#saveTimer = setTimeout(() => void this.flush().catch(() => {}), ms)
  }

  #onComeback(): void {
    if (!this.isSaved.peek()) this.#plan(0)
  }

  /** Saves what is not saved yet. @throws ApiError it was not saved */
  async flush(): Promise<void> {
    clearTimeout(this.#saveTimer)
    // Another one that waits may begin a save first.
    while (this.#saving !== null) await this.#saving
    if (this.isSaved.peek()) return
    this.#requireNoConflict()
    if (isHeld.peek()) throw new ApiError(UNSAVED.held, { code: 'UNAUTHORIZED' })
    this.#saving = this.#save().finally(() => {
      this.#saving = null
    })
    await this.#saving
    this.#requireNoConflict()
  }

  #requireNoConflict(): void {
    const conflict = this.conflict.peek()
    if (conflict === null) return
    throw new ApiError(conflict.theirs === null ? UNSAVED.deleted : UNSAVED.other, { code: 'CONFLICT' })
  }

  async #save(): Promise<void> {
    const now = this.project.peek()
    try {
      while (changesOf(this.#saved.peek().project, now) !== null) {
        const theirs = await this.#send(nextStep(this.#saved.peek().project, now))
        if (theirs === null) continue
        this.conflict.value = theirs
        return
      }
      this.failure.value = null
      this.#keep()
    } catch (error) {
      const failure = asApiError(error)
      if (isUncertain(failure)) this.#plan(RETRY_MS)
      if (failure.code === 'NOT_FOUND') this.conflict.value = { savedBy: null, theirs: null }
      this.failure.value = failure
      throw failure
    }
  }

  /** Null: the service has it, or an earlier one of this page whose answer was lost. @throws ApiError */
  async #send(project: Project): Promise<Conflict | null> {
    const answer = await this.#ask(project)
    if (answer.__typename === 'Project') {
      this.#onSaved({ id: this.id, revision: answer.revision, project })
      return null
    }
    const theirs = await loadProject(this.id)
    const own = [...this.#unanswered, project].find((one) => areSame(one, theirs.project))
    if (own !== undefined) this.#onSaved({ ...theirs, project: own })
    return own === undefined ? { savedBy: answer.savedBy ?? null, theirs } : null
  }

  async #ask(project: Project) {
    const { revision, project: before } = this.#saved.peek()
    const variables = { id: this.id, revision, ...changesOf(before, project) } as SaveVariables
    try {
      return (await ask(saveProject, variables)).saveProject
    } catch (error) {
      if (isUncertain(asApiError(error))) this.#unanswered.push(project)
      throw error
    }
  }

  #onSaved(opened: Opened): void {
    const before = this.#saved.peek().project
    this.#saved.value = opened
    this.#unanswered = []
    this.takes.onSaved(before, opened.project)
  }

  /**
   * Shows what somebody else has saved meanwhile. Changes that are not saved here wait for their save, which says whose text is there.
   * @returns the name of who saved it; null if nothing new is shown
   * @throws ApiError
   */
  async look(): Promise<string | null> {
    if (!this.#isAtRest()) return null
    const { project } = await ask(projectRevision, { id: this.id })
    if (!this.#isAtRest() || project?.revision === this.revision) return null
    if (project == null) {
      this.conflict.value = { savedBy: null, theirs: null }
      return null
    }
    const theirs = await loadProject(this.id)
    if (!this.#isAtRest() || theirs.revision <= this.revision) return null
    // Undo would bring back what was here before theirs, and overwrite it.
    this.#show(theirs, begun(theirs.project))
    return project.updatedBy ?? 'Somebody'
  }

  /** Says if all is saved, and nobody is about to write in an empty paragraph, which the service does not keep. */
  #isAtRest(): boolean {
    if (!this.isSaved.peek() || this.#saving !== null || this.conflict.peek() !== null || isHeld.peek()) return false
    const active = allParagraphs(this.project.peek()).find(({ key }) => key === this.active.peek())
    return active === undefined || isWritten(active)
  }

  /** Goes on with what somebody else has saved. What was here can be brought back by Undo. */
  takeTheirs(): void {
    const theirs = this.conflict.peek()?.theirs ?? null
    if (theirs === null) return
    this.conflict.value = null
    this.adopt(theirs)
  }

  /** All of this is kept in a copy: nothing of it is to be saved here any more. */
  letGo(): void {
    this.#saved.value = { ...this.#saved.peek(), project: this.project.peek() }
    this.#keep()
  }

  /** Without such a chapter the shown one stays. */
  showChapter(key: string | null): void {
    if (key !== null && this.project.peek().chapters.some((chapter) => chapter.key === key)) this.chapterKey.value = key
  }

  /** Shows what the service has by now, as a step that can be undone. */
  adopt(opened: Opened): void {
    this.#show(opened, changed(this.#history.peek(), opened.project))
  }

  #show(opened: Opened, history: History): void {
    this.#saved.value = opened
    this.#unanswered = []
    this.#put(history)
    this.#keep()
    clearTimeout(this.#saveTimer)
    this.takes.load(opened.project)
  }

  /** Says if the text of a paragraph is another one than the service has. */
  isChanged(key: string, text: string): boolean {
    return this.#texts.value.get(key) !== text
  }

  readonly #texts = computed(
    () => new Map(allParagraphs(this.#saved.value.project).map(({ key, text }) => [key, text])),
  )
}
