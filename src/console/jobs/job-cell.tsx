import { langOf } from '../parts/languages.ts'
import { jobDetail, jobName } from './job-name.ts'
import { JobSound } from './job-sound.tsx'
import { TagLinks } from './tag-links.tsx'

type Shown = Parameters<typeof JobSound>[0]['job'] & { readonly tags: readonly string[] }

/** A job in a list: it is heard, and named by its first words. */
export const JobCell = ({ job, href }: { readonly job: Shown; readonly href: string }) => (
  <div class="job-cell">
    <JobSound job={job} />
    <div class="job-words">
      <a href={href} title={jobName(job)} dir="auto" lang={langOf(job.textExcerpt && job.language)}>
        {jobName(job)}
      </a>
      <span class="job-detail">
        <bdi>{jobDetail(job)}</bdi>
        <TagLinks tags={job.tags} />
      </span>
    </div>
  </div>
)
