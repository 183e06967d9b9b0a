import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { at } from '../api/base.ts'
import { useQuery } from '../api/use-query.ts'
import {
  deleteProject,
  keepsTexts,
  type ProjectSharesQuery,
  type ProjectsQuery,
  projectShares,
  projects as projectsQuery,
} from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Empty } from '../parts/empty.tsx'
import { count, share as percent } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { toast } from '../parts/toast.tsx'
import { pageOf, useAddress } from '../parts/use-address.ts'
import { draftText } from '../playground/draft.ts'
import { NewProjectDialog } from './new-project-dialog.tsx'
import './studio.css'

type ProjectRow = ProjectsQuery['projects']['nodes'][number]
type ShareRow = ProjectSharesQuery['projects']['nodes'][number]

const PAGE = 20
/** The playground sends the text that is too long for it. */
const SENT = 'text'
/** Somebody who reads aloud says about so many characters a minute. */
const CHARACTERS_A_MINUTE = 900

/** Long texts of the account in chapters and paragraphs. */
export function StudioPage() {
  const { query, change } = useAddress()
  const list = useQuery(projectsQuery, shownBy(query))
  const isSent = query.new === SENT
  const [isNew, setNew] = useState(isSent)
  const [deleted, setDeleted] = useState<ProjectRow | null>(null)
  const close = (): void => {
    setNew(false)
    if (isSent) change({ new: null }, true)
  }
  const add = (
    <button type="button" class="button primary" onClick={() => setNew(true)}>
      <Icon name="plus" /> New project
    </button>
  )
  return (
    <Page title="Studio" actions={add}>
      <KeptNote />
      <Load query={list} skeleton={<SkeletonRows rows={5} />}>
        {({ projects: { nodes, totalCount, pageInfo } }) =>
          totalCount === 0 && !query.search ? (
            <NoProjects add={add} />
          ) : (
            <>
              <Search total={totalCount} />
              {nodes.length === 0 ? (
                <Empty title="No project matches">Look for another part of its name.</Empty>
              ) : (
                <ProjectsTable projects={nodes} onDelete={setDeleted} />
              )}
              <Pager pageInfo={pageInfo} onMove={change} />
            </>
          )
        }
      </Load>
      {isNew && <NewProjectDialog begin={isSent ? draftText.peek() : ''} onClose={close} />}
      {deleted !== null && <DeleteDialog project={deleted} onDone={list.reload} onClose={() => setDeleted(null)} />}
    </Page>
  )
}

const shownBy = (query: ReturnType<typeof useAddress>['query']) => ({
  ...pageOf(query, PAGE),
  ...(query.search && { search: query.search }),
})

const NoProjects = ({ add }: { readonly add: ComponentChildren }) => (
  <Empty title="No projects yet" action={add}>
    Books, lessons and dialogues: bring a text, give each part its voice, hear it, and take anew only what you change.
  </Empty>
)

/** Tells people of a service that keeps no texts of jobs that it keeps those of projects. */
function KeptNote() {
  const { data } = useQuery(keepsTexts, {})
  if (data?.service.keepsTexts !== false) return null
  return (
    <p class="hint">
      This service keeps no texts of jobs that have ended, but it keeps those of projects and of their earlier versions
      until you delete the project. The name of a project is a tag of its jobs.
    </p>
  )
}

function Search({ total }: { total: number }) {
  const { query, change } = useAddress()
  return (
    <div class="toolbar">
      <div class="with-icon">
        <SearchField
          label="Search projects"
          placeholder={`Search ${count(total)} ${total === 1 ? 'project' : 'projects'}`}
          value={query.search ?? ''}
          onText={(search) => change({ search, after: null, before: null }, true)}
        />
      </div>
    </div>
  )
}

interface ProjectsTableProps {
  readonly projects: readonly ProjectRow[]
  readonly onDelete: (project: ProjectRow) => void
}

function ProjectsTable({ projects, onDelete }: ProjectsTableProps) {
  const { data } = useQuery(projectShares, shownBy(useAddress().query))
  const shares = new Map(data?.projects.nodes.map((one) => [one.id, one]))
  return (
    <div class="table-box as-cards">
      <table class="projects-table" aria-label="Projects">
        <thead>
          <tr>
            <th>Name</th>
            <th class="end">Length</th>
            <th class="end">Chapters</th>
            <th>Spoken</th>
            <th aria-sort="descending">Changed</th>
            <th class="end">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {projects.map((project) => (
            <Row key={project.id} project={project} share={shares.get(project.id)} onDelete={() => onDelete(project)} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface RowProps {
  readonly project: ProjectRow
  /** Absent until it is answered. */
  readonly share: ShareRow | undefined
  readonly onDelete: () => void
}

const Row = ({ project, share, onDelete }: RowProps) => (
  <tr>
    <th scope="row">
      <a class="clip-cell" href={at(`/studio/${project.id}`)} title={project.name} dir="auto">
        <strong>{project.name}</strong>
      </a>
    </th>
    <td class="end" data-label="Length">
      <span title={`${count(project.characters)} characters`}>{lengthOf(project.characters)}</span>
    </td>
    <td class="end" data-label="Chapters">
      {share === undefined ? '…' : count(share.chapterCount)}
    </td>
    <td data-label="Spoken">
      {share !== undefined && <SpokenShare paragraphCount={project.paragraphCount} spokenCount={share.spokenCount} />}
    </td>
    <td data-label="Changed">
      <span>
        <Moment at={project.updatedAt} />
        {project.updatedBy && (
          <span class="faint">
            {' '}
            by <bdi>{project.updatedBy}</bdi>
          </span>
        )}
      </span>
    </td>
    <td class="end">
      <button
        type="button"
        class="button quiet small only-icon"
        aria-label={`Delete ${project.name}`}
        title="Delete"
        onClick={onDelete}
      >
        <Icon name="trash" size={14} />
      </button>
    </td>
  </tr>
)

function SpokenShare({ paragraphCount, spokenCount }: { paragraphCount: number; spokenCount: number }) {
  if (paragraphCount === 0) return <span class="faint">no text yet</span>
  const part = spokenCount / paragraphCount
  return (
    <span class="row spoken-share" title={`${count(spokenCount)} of ${count(paragraphCount)} paragraphs`}>
      <progress class="bar" value={spokenCount} max={paragraphCount} aria-label="Spoken" />
      <span class="figure">{part === 1 ? 'all' : part === 0 ? 'nothing' : percent(part)}</span>
    </span>
  )
}

/** How long it will sound. */
function lengthOf(characters: number): string {
  const minutes = Math.round(characters / CHARACTERS_A_MINUTE)
  if (minutes < 1) return `${count(characters)} ${characters === 1 ? 'character' : 'characters'}`
  return minutes < 60 ? `about ${minutes} min` : `about ${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

interface DeleteDialogProps {
  readonly project: ProjectRow
  readonly onDone: () => void
  readonly onClose: () => void
}

const DeleteDialog = ({ project, onDone, onClose }: DeleteDialogProps) => (
  <ConfirmDialog
    title={`Delete “${project.name}”?`}
    action="Delete the project"
    isDanger
    onConfirm={async () => {
      await ask(deleteProject, { id: project.id })
      toast(`“${project.name}” is deleted.`)
      onDone()
    }}
    onClose={onClose}
  >
    <p>Its text and its versions are gone for everybody in your account. What was spoken stays under Jobs.</p>
  </ConfirmDialog>
)
