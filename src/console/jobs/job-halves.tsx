import type { ComponentChildren } from 'preact'
import { Timeline } from './timeline/timeline.tsx'

/** A job's timeline, and next to it its facts. */
export const JobHalves = ({
  job,
  children,
}: {
  readonly job: Parameters<typeof Timeline>[0]['job']
  readonly children: ComponentChildren
}) => (
  <div class="halves">
    <section class="card">
      <div class="card-head">
        <h2>Timeline</h2>
      </div>
      <Timeline job={job} />
    </section>
    <section class="card">
      <div class="card-head">
        <h2>Facts</h2>
      </div>
      {children}
    </section>
  </div>
)
