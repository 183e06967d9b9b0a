import { describeConsole } from './journeys/describe-console.ts'
import { bulkJourneys } from './journeys/jobs/bulk.ts'
import { captionsJourneys } from './journeys/jobs/captions.ts'
import { deliveryJourneys } from './journeys/jobs/deliveries.ts'
import { faultyJobJourneys } from './journeys/jobs/faulty-jobs.ts'
import { historyJourneys } from './journeys/jobs/history.ts'
import { jobsJourneys } from './journeys/jobs/jobs.ts'
import { listeningJourneys } from './journeys/jobs/listening.ts'
import { listJourneys } from './journeys/jobs/lists.ts'
import { oneJobJourneys } from './journeys/jobs/one-job.ts'
import { statisticsJourneys } from './journeys/jobs/statistics.ts'

describeConsole('jobs, takes, deliveries and statistics in a browser', (opened) => {
  captionsJourneys(opened)
  historyJourneys(opened)
  statisticsJourneys(opened)
  jobsJourneys(opened)
  bulkJourneys(opened)
  faultyJobJourneys(opened)
  oneJobJourneys(opened)
  deliveryJourneys(opened)
  listJourneys(opened)
  listeningJourneys(opened)
})
