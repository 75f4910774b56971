import { thing } from "not-installed";
