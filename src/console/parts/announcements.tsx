import { announced } from './announce.ts'

export const Announcements = () => (
  <p class="unseen" role="status">
    {announced}
  </p>
)
