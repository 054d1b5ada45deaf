# SPDX-License-Identifier: Apache-2.0
"""The faults of the loader: each breaks the clause that it names."""

from faults_calls import CALLS
from faults_environment import ENVIRONMENT
from faults_layers import LAYERS
from faults_loading import LOADING
from faults_memory import MEMORY
from faults_objects import OBJECTS

FAULTS = LOADING + ENVIRONMENT + CALLS + MEMORY + OBJECTS + LAYERS
